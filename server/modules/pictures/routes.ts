import type { FastifyInstance } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import { escaped } from '../../kernel/http/markup.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { pictureType } from './queries.ts';

const COLOURS = ['#1d4ed8', '#0f766e', '#7c3aed', '#b45309', '#be123c', '#15803d', '#4338ca', '#a21caf'];
const HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
};

/**
 * What `avatar_url` and other picture fields point to. The address is all it needs: uploads have unguessable names,
 * initials say nothing else.
 */
export function mountPictures(app: FastifyInstance, { storage }: Services) {
  app.get<{ Params: { hex: string } }>('/avatars/initials/:hex.svg', async ({ params: { hex } }, reply) => {
    const initials = /^[0-9a-f]{2,32}$/.test(hex) ? Buffer.from(hex, 'hex').toString('utf8') : refuseNotFound();
    return reply.headers(HEADERS).type('image/svg+xml').send(drawn(initials));
  });
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

function drawn(initials: string): string {
  const sum = [...initials].reduce((total, letter) => total + (letter.codePointAt(0) ?? 0), 0);
  const text = escaped(initials);
  const place = 'x="48" y="50" text-anchor="middle" dominant-baseline="middle"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="${text}">`,
    `<rect width="96" height="96" fill="${COLOURS[sum % COLOURS.length]}"/>`,
    `<text ${place} fill="#fff" font-family="system-ui, sans-serif" font-size="38">${text}</text></svg>`,
  ].join('');
}
