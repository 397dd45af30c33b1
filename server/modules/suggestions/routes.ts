import { refuseInvalid } from '../../kernel/contract/errors.ts';
import { routes } from '../../kernel/http/routes.ts';
import { channelFor } from '../chat/access.ts';
import { contentFor } from '../content/access.ts';
import { mentionTypes } from '../mentions/contract.ts';
import { suggestions } from './contract.ts';
import { listSuggestions, type Place } from './queries.ts';

export const suggestionRoutes = routes(suggestions, {
  async listSuggestions({ tx, actor, query }) {
    const { q = '', kinds = mentionTypes, type, id, channel_url, space_ids = [], team_ids = [] } = query;
    if ((type === undefined) !== (id === undefined)) refuseInvalid('id', 'must be given with type');
    let place: Place = { space_ids, team_ids };
    if (type && id) place = { noun: type, id: (await contentFor(tx, actor, type, id)).id };
    else if (channel_url) place = { channel_id: (await channelFor(tx, actor, channel_url)).id };
    return listSuggestions(tx, actor, q.trim(), [...new Set(kinds)], place);
  },
});
