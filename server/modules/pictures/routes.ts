import type { FastifyInstance } from 'fastify';
import { refuseNotFound } from '../../kernel/contract/errors.ts';
import type { Services } from '../../kernel/http/routes.ts';
import { imageType } from './queries.ts';

const COLOURS = ['#1d4ed8', '#0f766e', '#7c3aed', '#b45309', '#be123c', '#15803d', '#4338ca', '#a21caf'];
const YEAR = 'public, max-age=31536000, immutable';

/** What `avatar_url` and other picture fields point to. The address is all it needs: uploads have unguessable names, initials say nothing else. */
export function mountPictures(app: FastifyInstance, { storage }: Services) {
  app.get<{ Params: { hex: string } }>('/avatars/initials/:hex.svg', async (request, reply) => {
    const initials = /^[0-9a-f]{2,32}$/.test(request.params.hex)
      ? Buffer.from(request.params.hex, 'hex').toString('utf8')
      : refuseNotFound();
    const colour =
      COLOURS[[...initials].reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0) % COLOURS.length];
    const text = initials.replace(/[<>&"']/g, (mark) => `&#${mark.charCodeAt(0)};`);
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96" role="img" aria-label="${text}"><rect width="96" height="96" fill="${colour}"/><text x="48" y="50" fill="#fff" font-family="system-ui, sans-serif" font-size="38" text-anchor="middle" dominant-baseline="middle">${text}</text></svg>`;
    return reply
      .headers({ 'cache-control': YEAR, 'content-security-policy': "default-src 'none'; sandbox" })
      .type('image/svg+xml')
      .send(svg);
  });
  app.get<{ Params: { organisation: string; key: string } }>('/pictures/:organisation/:key', async (request, reply) => {
    const file = (await storage.open(Number(request.params.organisation) || 0, request.params.key)) ?? refuseNotFound();
    const bytes = Buffer.concat(await file.stream.toArray());
    return reply
      .headers({ 'cache-control': YEAR, 'content-security-policy': "default-src 'none'; sandbox" })
      .type(imageType(bytes) ?? 'application/octet-stream')
      .send(bytes);
  });
}
