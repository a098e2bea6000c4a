interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** The pattern of the names that there can be. */
  readonly pattern?: string;
}

/** The description that an API has of itself. */
export interface ApiTerms {
  readonly title: string;
  readonly description: string;
  /** Path parameters, by name, wherever they stand. */
  readonly parameters: Readonly<Record<string, PathParameter>>;
  /** The failures that every route may answer, by status: the kind of failure, and its message. */
  readonly everywhere: Readonly<Record<number, readonly [kind: string, message: string]>>;
  /** Tells how a bearer's token begins; absent: it may be anything. */
  readonly bearerFormat?: string;
}
