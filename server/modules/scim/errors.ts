import { commonErrors } from '../../kernel/contract/errors.ts';
import { asRefusal } from '../../kernel/http/error-reply.ts';

/** RFC 7644 3.12, table 9. */
export type ScimType =
  | ('invalidFilter' | 'invalidPath' | 'invalidSyntax' | 'invalidValue')
  | ('mutability' | 'noTarget' | 'tooMany' | 'uniqueness');

/** `user_id` is whom the refused request was about, for the log. */
interface Options {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly user_id?: number;
}

export class ScimError extends Error {
  readonly status: number;
  readonly scimType: ScimType | undefined;
  readonly options: Options;

  constructor(status: number, scimType: ScimType | undefined, detail: string, options: Options = {}) {
    super(detail);
    this.status = status;
    this.scimType = scimType;
    this.options = options;
  }

  get body() {
    const { status, scimType, message: detail } = this;
    return { schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: String(status), scimType, detail };
  }
}

export function refuse(scimType: ScimType, detail: string): never {
  throw new ScimError(400, scimType, detail);
}
export function refuseNotFound(): never {
  throw new ScimError(404, undefined, 'There is no such resource.');
}

const scimTypes: Record<number, ScimType | undefined> = { 400: 'invalidValue', 409: 'uniqueness' };

/** Whatever went wrong, as SCIM says it; undefined when it is a fault of ours. */
export function asScimError(error: unknown): ScimError | undefined {
  if (error instanceof ScimError) return error;
  const refusal = asRefusal(error);
  if (!refusal) return undefined;
  const { code, message } = refusal;
  if (code === 'unsupported_media_type')
    return new ScimError(415, undefined, 'Send application/scim+json or application/json, in UTF-8.');
  if (code === 'last_admin') return new ScimError(409, undefined, message);
  const status = code.endsWith('_taken') ? 409 : (commonErrors[code] ?? 400);
  const scimType = code === 'malformed_body' ? 'invalidSyntax' : scimTypes[status];
  return new ScimError(status, scimType, message, { headers: refusal.options.headers });
}
