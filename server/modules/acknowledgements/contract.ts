import { endpoint, family } from '../../kernel/contract/contract.ts';
import * as t from '../../kernel/contract/schema.ts';
import { contentExamples, Person, type PostedNoun, plurals } from '../content/contract.ts';

/** Nouns that ask their readers to confirm. */
export type AcknowledgedNoun = Exclude<PostedNoun, 'event'>;
export const acknowledgedNouns = ['article', 'update', 'kudos'] as const satisfies readonly AcknowledgedNoun[];

export const Acknowledgement = t.Object(
  {
    required: t.Flag(),
    acknowledged_count: t.Integer({ description: 'Of the present version.' }),
    audience_count: t.Integer({ description: 'Active people whom it is for.' }),
    due_at: t.Nullable(t.Timestamp()),
    content_version: t.Integer(),
    acknowledged_at: t.Nullable(t.Timestamp('By the caller, of the present version.')),
  },
  { title: 'Acknowledgement' },
);
const NewAcknowledgement = t.Object({
  user_id: t.Optional(t.Id('The person. Default: the caller, unless that is an app.')),
  user_external_id: t.Optional(t.ExternalId('The person by external id.')),
  acknowledged_at: t.Optional(t.Timestamp('For imports; never in the future.')),
  content_version: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: 2 ** 31 - 1,
      description: 'The version that was read; if it has changed since, a 409.',
    }),
  ),
});
export const AcknowledgingUser = t.Object(
  { ...Person.properties, acknowledged_at: t.Nullable(t.Timestamp()), content_version: t.Integer() },
  { title: 'AcknowledgingUser' },
);

const operations = {
  article: {
    get: ['getArticleAcknowledgement', 'getArticleAcknowledgementByExternalId'],
    acknowledge: ['acknowledgeArticle', 'acknowledgeArticleByExternalId'],
    listUsers: ['listArticleAcknowledgementUsers', 'listArticleAcknowledgementUsersByExternalId'],
  },
  update: {
    get: ['getUpdateAcknowledgement', 'getUpdateAcknowledgementByExternalId'],
    acknowledge: ['acknowledgeUpdate', 'acknowledgeUpdateByExternalId'],
    listUsers: ['listUpdateAcknowledgementUsers', 'listUpdateAcknowledgementUsersByExternalId'],
  },
  kudos: {
    get: ['getKudosAcknowledgement', 'getKudosAcknowledgementByExternalId'],
    acknowledge: ['acknowledgeKudos', 'acknowledgeKudosByExternalId'],
    listUsers: ['listKudosAcknowledgementUsers', 'listKudosAcknowledgementUsersByExternalId'],
  },
} as const;

export const acknowledgementsOf = (noun: AcknowledgedNoun) => {
  const { id, external_id } = contentExamples[noun];
  const { get, acknowledge, listUsers } = operations[noun];
  const path = `/v1/${plurals[noun]}/{id}/acknowledgement` as const;
  const params = { id, external_id };
  return family('acknowledgements', 'Who confirmed that they read what was asked of them.', {
    getAcknowledgement: endpoint(`GET ${path}`, `Read how many acknowledged ${noun} content`, {
      operation: get[0],
      byExternalId: get[1],
      reply: Acknowledgement,
      example: { params },
    }),
    acknowledge: endpoint(`POST ${path}`, `Acknowledge ${noun} content`, {
      operation: acknowledge[0],
      byExternalId: acknowledge[1],
      description:
        'Of its present version, once: a changed text asks again. A key names the person, whom the content must reach.',
      body: NewAcknowledgement,
      reply: Acknowledgement,
      errors: { user_not_found: 400, acknowledgement_not_required: 409, content_changed: 409 },
      example: { params, body: { user_external_id: 'E-1004' } },
    }),
    listAcknowledgementUsers: endpoint(`GET ${path}/users`, `List who acknowledged ${noun} content`, {
      operation: listUsers[0],
      byExternalId: listUsers[1],
      description:
        'In the order in which they did. With status=pending: active people of the audience who did not yet, by id.',
      query: t.Object({ status: t.Optional(t.OneOf(['acknowledged', 'pending'], 'Default: acknowledged.')) }),
      list: AcknowledgingUser,
      example: { params },
    }),
  });
};
