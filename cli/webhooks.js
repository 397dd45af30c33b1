import { each } from '@atrium/sdk';
import { operationNamed, requestFrom } from './fields.js';
import { UsageError, writeJson, writeLine } from './terminal.js';

export const webhookCommands = [
  {
    words: 'webhooks deliveries',
    synopsis: 'webhooks deliveries <webhook> [--state failed] [--since TIME]',
    about: 'What was sent to a subscription, newest first, a line of JSON each.',
    async run({ args: [id, ...args], signal, connect }) {
      const request = await requestFrom(operationNamed('listWebhookDeliveries'), ['--id', idOf(id), ...args]);
      for await (const delivery of each(connect().listWebhookDeliveries, request, { signal }))
        await writeLine(delivery);
    },
  },
  {
    words: 'webhooks redeliver',
    synopsis: 'webhooks redeliver <webhook> <delivery>',
    about: 'Deliver again.',
    async run({ args: [id, delivery_id], signal, connect }) {
      const request = { id: Number(idOf(id)), delivery_id: Number(idOf(delivery_id)) };
      return writeJson((await connect().redeliverWebhook(request, { signal })).data);
    },
  },
];

function idOf(text) {
  if (!/^[1-9]\d{0,15}$/.test(text ?? '')) throw new UsageError('Give the id of a webhook, and of a delivery.');
  return text;
}
