/** The fields that every attempt has, for each kind of credential. */
export interface TokenAttempt {
  readonly secret: string;
  /** The organization in the request's path, if there is one; it need not exist. */
  readonly organization: string | undefined;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}

export interface LoginAttempt extends TokenAttempt {
  readonly email: string;
}
