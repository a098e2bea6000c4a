/** The access to a store that speaks S3. */
export interface S3Access {
  /** The address of what speaks S3, without `/` at its end; undefined: Amazon's. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  /** Secret. */
  readonly secretAccessKey: string;
  /** Secret. */
  readonly sessionToken: string | undefined;
}

interface S3Variables {
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  readonly AWS_SESSION_TOKEN?: string | undefined;
  readonly AWS_REGION: string;
  readonly AWS_ENDPOINT_URL?: string | undefined;
}

/** @returns undefined without keys */
export function s3Access(variables: S3Variables): S3Access | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = variables;
  if (!accessKeyId || !secretAccessKey) return undefined;
  return {
    endpoint: variables.AWS_ENDPOINT_URL?.replace(/\/+$/, ''),
    region: variables.AWS_REGION,
    accessKeyId,
    secretAccessKey,
    sessionToken: variables.AWS_SESSION_TOKEN,
  };
}
