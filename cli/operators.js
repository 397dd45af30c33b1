// Commands of operators work on the machine of Atrium itself: its server runs them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { UsageError } from './terminal.js';

export async function operatorCommand(argv) {
  const program = serverProgram();
  if (!program)
    throw new UsageError(
      `There is no command "${argv.slice(0, 2).join(' ')}" here; those of operators need the machine that Atrium runs on.`,
    );
  const child = spawn(process.execPath, [program, ...argv], { stdio: 'inherit', env: withoutConnection(process.env) });
  const pass = (signal) => child.kill(signal);
  process.on('SIGTERM', pass);
  const [code] = await once(child, 'exit');
  return code ?? 1;
}

function serverProgram() {
  try {
    return createRequire(import.meta.url).resolve('@atrium/server/bin/atrium.mjs');
  } catch {
    return undefined;
  }
}

/** The server warns of settings that it does not know. */
function withoutConnection(env) {
  const own = ['ATRIUM_URL', 'ATRIUM_SERVICE_ID', 'ATRIUM_API_KEY', 'ATRIUM_PROFILE', 'ATRIUM_CONFIG'];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !own.includes(name)));
}
