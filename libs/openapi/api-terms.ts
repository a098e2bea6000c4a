interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** The pattern of valid names. */
  readonly pattern?: string;
}

/** The description of the whole API. */
export interface ApiTerms {
  readonly title: string;
  readonly description: string;
  /** The path parameters by name, for all paths. */
  readonly parameters: Readonly<Record<string, PathParameter>>;
  /** The failures that every route may answer, by status: the kind of failure, and its message. */
  readonly everywhere: Readonly<Record<number, readonly [kind: string, message: string]>>;
  /** The beginning of a bearer's token; absent: it may be anything. */
  readonly bearerFormat?: string;
}
