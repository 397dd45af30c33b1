import {
  byBothKeys,
  ExternalId,
  endpoint,
  Flag,
  Id,
  Nullable,
  OneOf,
  Optional,
  Shape,
  Timestamp,
  Type,
} from '../../kernel/contract/contract.ts';
import { type ContentExample, Person, type PostedNoun, plurals } from '../content/contract.ts';

/** Nouns that ask their readers to confirm. */
export type AcknowledgedNoun = Exclude<PostedNoun, 'event'>;

export const Acknowledgement = Shape(
  {
    required: Flag(),
    acknowledged_count: Type.Integer({ description: 'Of the present version.' }),
    audience_count: Type.Integer({ description: 'Active people whom it is for.' }),
    due_at: Nullable(Timestamp()),
    content_version: Type.Integer(),
    acknowledged_at: Nullable(Timestamp('By the caller, of the present version.')),
  },
  { title: 'Acknowledgement' },
);
export const AcknowledgingUser = Shape(
  { ...Person.properties, acknowledged_at: Nullable(Timestamp()), content_version: Type.Integer() },
  { title: 'AcknowledgingUser' },
);

/** Acknowledgements of one noun; `Content` in the names stands for it. */
export const acknowledgementsOf = (noun: AcknowledgedNoun, { id, external_id }: ContentExample) => {
  const path = `/v1/${plurals[noun]}/{id}/acknowledgement` as const;
  return byBothKeys(
    {
      getContentAcknowledgement: endpoint({
        method: 'GET',
        path,
        summary: `Read how many acknowledged ${noun} content`,
        scope: 'acknowledgements.*.read',
        reply: Acknowledgement,
        example: { params: { id } },
      }),
      acknowledgeContent: endpoint({
        method: 'POST',
        path,
        summary: `Acknowledge ${noun} content`,
        description:
          'Of its present version, once: a changed text asks again. A key names the person, whom the content must reach.',
        scope: 'acknowledgements.*.write',
        body: Shape({
          user_id: Optional(Id('The person. Default: the caller, unless that is an app.')),
          user_external_id: Optional(ExternalId('The person by external id.')),
          acknowledged_at: Optional(Timestamp('For imports; never in the future.')),
          content_version: Optional(
            Type.Integer({ minimum: 1, description: 'The version that was read; if it has changed since, a 409.' }),
          ),
        }),
        documented: 'json',
        reply: Acknowledgement,
        errors: { user_not_found: 400, acknowledgement_not_required: 409, content_changed: 409 },
        example: { params: { id }, body: { user_external_id: 'E-1004' } },
      }),
      listContentAcknowledgementUsers: endpoint({
        method: 'GET',
        path: `${path}/users`,
        summary: `List who acknowledged ${noun} content`,
        description:
          'In the order in which they did. With status=pending: active people of the audience who did not yet, by id.',
        scope: 'acknowledgements.*.read',
        query: Shape({ status: Optional(OneOf(['acknowledged', 'pending'], 'Default: acknowledged.')) }),
        list: AcknowledgingUser,
        example: { params: { id } },
      }),
    },
    external_id,
  );
};
