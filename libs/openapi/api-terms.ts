import { SENT_ID } from '@app/platform';

interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** The pattern of valid names. */
  readonly pattern?: string;
}

interface HeaderParameter {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  readonly pattern: string;
  /** Tells whether a route takes it; absent: every route does. */
  readonly isTaken?: (method: string, path: string) => boolean;
}

/** Every server of ours takes it. */
export const REQUEST_ID: HeaderParameter = {
  name: 'X-Request-Id',
  description: 'Names the request in the answer, in failures and in the log; a new one otherwise',
  example: 'nightly-17',
  pattern: SENT_ID.source,
};

/** The description of the whole API. */
export interface ApiTerms {
  readonly title: string;
  readonly description: string;
  /** The path parameters by name, for all paths. */
  readonly parameters: Readonly<Record<string, PathParameter>>;
  /** The headers that routes take, but for those of HTTP itself. */
  readonly headers: readonly HeaderParameter[];
  /** The failures that every route may answer, by status: the kind of failure, and its message. */
  readonly everywhere: Readonly<Record<number, readonly [kind: string, message: string]>>;
  /** The beginning of a bearer's token; absent: it may be anything. */
  readonly bearerFormat?: string;
}
