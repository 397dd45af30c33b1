import { refuse, refuseForbidden, refuseInvalid, refuseNotFound } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { contentFor } from '../content/access.ts';
import { polls } from './contract.ts';
import * as queries from './queries.ts';

export const pollRoutes = routes(polls, {
  vote: ({ tx, actor, params, body }) =>
    tx.transaction(async (inside) => {
      const { id } = await contentFor(inside, actor, 'update', params.id);
      const poll = (await queries.lockPoll(inside, id, actor)) ?? refuseNotFound();
      if (poll.is_over) refuse('poll_ended', 'This poll has ended.');
      const options = [...new Set(body.options)];
      const beyond = body.options.findIndex((n) => n > poll.options_count);
      if (beyond >= 0) refuseInvalid(`options[${beyond}]`, 'names no answer of this poll');
      if (options.length > 1 && !poll.is_multiple) refuseInvalid('options', 'must be one answer');
      await queries.replaceVotes(inside, id, actor.user_id, options);
      return queries.getPoll(inside, id, actor);
    }),
  async listVoters({ tx, actor, params, query }) {
    const { id } = await contentFor(tx, actor, 'update', params.id);
    const poll = (await queries.findPoll(tx, id, actor)) ?? refuseNotFound();
    if (poll.is_anonymous) refuseForbidden('This poll is anonymous.');
    if (!poll.sees_results) refuseForbidden('Vote first.');
    return queries.listVoters(tx, id, query.option, query);
  },
});
