// A receiver of webhooks that runs as it is: WEBHOOK_SECRET=whsec_… node sdk/examples/receiver.js [port]
// It answers before it works: Atrium waits five seconds and then tries again. What comes twice has the same meta.id.
import { createServer } from 'node:http';
import { verifyWebhook, WebhookRefused } from '@atrium/sdk';

const secret = process.env.WEBHOOK_SECRET;
if (!secret) {
  console.error('Set WEBHOOK_SECRET to the signing secret of the subscription.');
  process.exit(1);
}
const seen = new Set();

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
    response.writeHead(204).end();
    if (seen.has(event.meta.id)) return;
    seen.add(event.meta.id);
    console.log(`${event.action} ${event.meta.id}, attempt ${event.meta.attempt}`);
    if (event.action === 'page.created' || event.action === 'page.updated')
      console.log(`  ${event.page.title} ${event.page.permalink}`);
  } catch (error) {
    if (!(error instanceof WebhookRefused)) throw error;
    console.error(`Refused, ${error.reason}: ${error.message}`);
    response.writeHead(401).end(error.reason);
  }
});
server.listen(Number(process.argv[2] ?? 5000), '127.0.0.1', () =>
  console.log(`Listening on http://127.0.0.1:${server.address().port}`),
);
