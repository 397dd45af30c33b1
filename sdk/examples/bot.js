// A bot to copy: it repeats what it is told, offers quick replies for "help" and a card for "card".
//
//   ATRIUM_URL=http://localhost:4000 SERVICE_ID=1 API_KEY=… BOT_USERID=bot_… node sdk/examples/bot.js
//
// Register the printed address as the bot's bot_webhook_url.
import { createServer } from 'node:http';
import { createBotHandler } from '@atrium/sdk';

const env = (name, otherwise) => process.env[name] ?? otherwise ?? exit(`Set ${name}.`);
function exit(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const handler = createBotHandler({
  baseUrl: env('ATRIUM_URL'),
  apiUrl: env('ATRIUM_API_URL', env('ATRIUM_URL')),
  ...(process.env.ATRIUM_JWKS_URL ? { jwksUrl: process.env.ATRIUM_JWKS_URL } : {}),
  organisationId: env('SERVICE_ID'),
  apiKey: env('API_KEY'),
  botUserId: env('BOT_USERID'),
  async onMessage({ message, files = [] }, answer) {
    if (message === null) return answer.text(`Thank you for ${files.map(({ file_name }) => file_name).join(', ')}.`);
    if (/help/i.test(message)) {
      return answer.quickReplies('What can I do for you?', [
        { label: 'Show a card', message: 'card' },
        { label: 'Nothing', message: 'Never mind.' },
      ]);
    }
    if (/card/i.test(message)) {
      return answer.cards([
        {
          cardTitle: 'Opening hours',
          cardDescription: 'Monday to Saturday, 9 to 20.',
          buttons: [
            { label: 'Say thanks', message: 'Thanks!' },
            { label: 'All stores', link: 'https://northwind.example/stores' },
          ],
        },
      ]);
    }
    return answer.text(`You said: ${message}`);
  },
  onRefused: (error, status) => process.stderr.write(`${status} ${error.reason ?? 'failed'}: ${error.message}\n`),
});

const server = createServer(handler);
server.listen(Number(env('PORT', '5001')), '127.0.0.1', () => {
  process.stdout.write(`The bot listens on http://127.0.0.1:${server.address().port}/\n`);
});
