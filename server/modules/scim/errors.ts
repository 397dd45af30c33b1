import { commonErrors } from '../../kernel/contract/errors.ts';
import { asRefusal } from '../../kernel/http/error-reply.ts';
import { ERROR } from './schemas.ts';

/** RFC 7644 3.12, table 9. */
export type ScimType =
  | 'invalidFilter'
  | 'tooMany'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'invalidVers'
  | 'sensitive';

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Whom the refused request was about, for the log. */
  readonly user_id: number | undefined;

  constructor(
    status: number,
    scimType: ScimType | undefined,
    detail: string,
    headers: Record<string, string> = {},
    user_id?: number,
  ) {
    super(detail);
    this.user_id = user_id;
    this.status = status;
    this.scimType = scimType;
    this.headers = headers;
  }

  get body() {
    return {
      schemas: [ERROR],
      status: String(this.status),
      ...(this.scimType ? { scimType: this.scimType } : {}),
      detail: this.message,
    };
  }
}

export const bad = (scimType: ScimType, detail: string): never => {
  throw new ScimError(400, scimType, detail);
};
export const refuseNotFound = (detail = 'There is no such resource.'): never => {
  throw new ScimError(404, undefined, detail);
};

const scimTypes: Record<number, ScimType | undefined> = { 400: 'invalidValue', 409: 'uniqueness' };

/** Whatever went wrong, as SCIM says it; undefined when it is a fault of ours. */
export function asScimError(error: unknown): ScimError | undefined {
  if (error instanceof ScimError) return error;
  const refusal = asRefusal(error);
  if (!refusal) return undefined;
  const status = refusal.code.endsWith('_taken')
    ? 409
    : refusal.code.endsWith('_not_found')
      ? 400
      : (commonErrors[refusal.code] ?? 400);
  if (refusal.code === 'unsupported_media_type')
    return new ScimError(415, undefined, 'Send application/scim+json or application/json, in UTF-8.');
  const scimType = refusal.code === 'malformed_body' ? 'invalidSyntax' : scimTypes[status];
  return new ScimError(status, scimType, refusal.message, refusal.options.headers);
}
