/** The fields that every attempt has, whatever is sent to show who it is. */
export interface TokenAttempt {
  readonly secret: string;
  /** The organization that the request's path names, if any; it need not exist. */
  readonly organization: string | undefined;
  readonly address: string;
  readonly userAgent: string | undefined;
  readonly requestId: string;
}

export interface LoginAttempt extends TokenAttempt {
  readonly email: string;
}
