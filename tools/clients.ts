// Clients of the API as two generators make them from its document.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Types alone: `types.ts` in the folder. */
export async function generateTypes(document: string, folder: string) {
  const { default: openapiTs, astToString } = await import('openapi-typescript');
  mkdirSync(folder, { recursive: true });
  const types = await openapiTs(JSON.parse(readFileSync(document, 'utf8')), { silent: true });
  writeFileSync(join(folder, 'types.ts'), astToString(types));
}

/** Types and a function for each operation, by its operationId: `sdk.gen.ts` and `client.gen.ts` in the folder. */
export async function generateClient(document: string, folder: string) {
  const { createClient } = await import('@hey-api/openapi-ts');
  await createClient({
    input: document,
    output: { path: folder, importFileExtension: '.ts' },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
}
