import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { initialsPicture } from './initials.ts';
import { pictureType } from './queries.ts';

const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
};

/**
 * What `avatar_url` and other picture fields point to. The address is all it needs: uploads have unguessable names,
 * initials say nothing else.
 */
export function mountPictures(app: FastifyInstance, { storage }: Services) {
  app.get<{ Params: { hex: string } }>('/avatars/initials/:hex.png', async ({ params: { hex } }, reply) => {
    const picture = await initialsPicture(initialsIn(hex) ?? refuseNotFound());
    return reply.headers(HEADERS).type('image/png').send(picture);
  });
  // Addresses that clients kept from when these were drawings.
  app.get<{ Params: { hex: string } }>('/avatars/initials/:hex.svg', async ({ params: { hex } }, reply) =>
    reply.headers(HEADERS).redirect(`${hex}.png`, 301),
  );
  app.get<{ Params: { organisation: string; key: string } }>('/pictures/:organisation/:key', async (request, reply) => {
    const { organisation, key } = request.params;
    const file = (await storage.open(Number(organisation) || 0, key)) ?? refuseNotFound();
    const bytes = Buffer.concat(await file.stream.toArray());
    return reply
      .headers(HEADERS)
      .type((await pictureType(bytes)) ?? 'application/octet-stream')
      .send(bytes);
  });
}

/** Up to four characters, as UTF-8 in hexadecimal. */
function initialsIn(hex: string): string | undefined {
  const bytes = Buffer.from(hex, 'hex');
  const initials = bytes.toString('utf8');
  const isWhole = bytes.length * 2 === hex.length && isUtf8(bytes);
  return isWhole && /^[^\p{C}]{1,4}$/u.test(initials) ? initials : undefined;
}
