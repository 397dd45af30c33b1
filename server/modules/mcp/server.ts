// The protocol's side: which tools there are for the caller, and what becomes of a call. One server object a request;
// nothing is kept between two of them, so that any node can answer.
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServerFactory,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { TSchema } from 'typebox';
import type { Services } from '../../kernel/http/routes.ts';
import { refusalOf } from '../../kernel/people/auth.ts';
import { plainSchema } from '../docs/components.ts';
import type { Caller, Outcome } from './calling.ts';
import { type Asked, allowedBy, partsOf, preview } from './confirming.ts';
import { type Operation, toolOf } from './tools.ts';

const instructions =
  'The intranet of an organisation. search finds people and content; list… and get… read. Whatever writes answers ' +
  'first with what it would write: show that to the person, and carry it out only when they agree. Everything ' +
  'happens as the person, or app, whose credential this is, in the real organisation.';

const plain = (schema: TSchema): object => {
  const { title, ...own } = plainSchema(schema, plain);
  return own;
};

type Known = ReadonlyMap<string, Operation>;
export const serverFor =
  (known: Known, services: Services): McpServerFactory =>
  ({ authInfo }) => {
    const caller = authInfo?.extra?.caller as Caller;
    const made = new Server(
      { name: 'atrium', title: 'Atrium', version: '1' },
      { capabilities: { tools: {} }, instructions },
    );
    made.setRequestHandler('tools/list', async () => ({
      tools: [...known.values()]
        .filter(({ endpoint }) => !refusalOf(caller.actor, endpoint))
        .map((one) => toolOf(one, plain)),
    }));
    made.setRequestHandler('tools/call', async ({ params }, context) => {
      const { confirmation, ...given } = params.arguments ?? {};
      const operation = known.get(params.name);
      if (!operation || refusalOf(caller.actor, operation.endpoint))
        return failed(`There is no tool ${params.name} for you.`);
      const asked = { operation, given, caller };
      if (operation.endpoint.method !== 'GET') return written(asked, confirmation, context, services);
      const parts = partsOf(asked);
      const outcome = await caller.call(operation.endpoint, parts);
      await caller.note(operation.name, parts.path, outcome.status);
      return answered(outcome);
    });
    return made;
  };

async function written(
  asked: Asked,
  given: unknown,
  { mcpReq }: ServerContext,
  services: Services,
): Promise<CallToolResult | InputRequiredResult> {
  const answer = inputResponse(mcpReq.inputResponses, CONFIRM);
  const isAgreed = acceptedContent(mcpReq.inputResponses, CONFIRM)?.agree === true;
  if (answer.kind === 'elicit' && !isAgreed) return failed('The person did not agree. Nothing was written.');
  const confirmation = isAgreed ? mcpReq.requestState<string>() : given;
  if (confirmation !== undefined) {
    const headers = allowedBy(String(confirmation), asked, services);
    if (!headers)
      return failed(
        'This confirmation is of another call, or older than ten minutes. Nothing was written: begin anew.',
      );
    return answered(await asked.caller.call(asked.operation.endpoint, partsOf(asked), headers));
  }
  const shown = await preview(asked, services);
  if ('status' in shown) return answered(shown);
  const envelope = mcpReq.envelope as Record<string, { elicitation?: object }> | undefined;
  if (envelope?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation)
    return inputRequired({
      inputRequests: { [CONFIRM]: inputRequired.elicit({ message: shown.sentence, requestedSchema: agreement }) },
      requestState: shown.confirmation,
    });
  const { sentence, ...more } = shown;
  return {
    content: [
      {
        type: 'text',
        text: `Nothing was written yet. ${sentence} To carry it out, call again with this confirmation.`,
      },
    ],
    structuredContent: { is_written: false, ...more },
  };
}
const CONFIRM = 'confirm';
const agreement = {
  type: 'object' as const,
  properties: { agree: { type: 'boolean' as const, title: 'Carry it out' } },
  required: ['agree'],
};

/** The API's envelope, as it is; what it refuses is an error that the assistant can read and mend. */
const answered = ({ status, body }: Outcome): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(body) }],
  structuredContent: body,
  ...(status >= 400 ? { isError: true } : {}),
});
const failed = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true });
