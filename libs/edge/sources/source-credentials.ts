/**
 * The credentials of object stores, from the environment variables of their own tools. Everything
 * but the endpoints is secret.
 */
export interface SourceCredentials {
  readonly s3: {
    /** The address of a store that speaks S3, without `/` at its end; undefined: Amazon's. */
    readonly endpoint: string | undefined;
    readonly region: string;
    /** Undefined means that requests are not signed, which gives access to public objects. */
    readonly accessKeyId: string | undefined;
    readonly secretAccessKey: string | undefined;
    readonly sessionToken: string | undefined;
  };
  /** HMAC keys of Google Cloud Storage; undefined: requests are not signed. */
  readonly gcs: {
    readonly endpoint: string | undefined;
    readonly accessKeyId: string | undefined;
    readonly secretAccessKey: string | undefined;
  };
  readonly azure: {
    readonly connectionString: string | undefined;
    readonly endpoint: string | undefined;
    readonly account: string | undefined;
    readonly key: string | undefined;
  };
}

const DEFAULT_REGION = 'us-east-1';

/** Empty variables count as absent. */
export function sourceCredentials(
  environment: Readonly<Record<string, string | undefined>>,
): SourceCredentials {
  const given = (...names: readonly string[]): string | undefined =>
    names.map((name) => environment[name]).find((value) => value !== undefined && value !== '');
  const endpoint = (name: string): string | undefined => given(name)?.replace(/\/+$/, '');
  return {
    s3: {
      endpoint: endpoint('AWS_ENDPOINT_URL_S3') ?? endpoint('AWS_ENDPOINT_URL'),
      region: given('AWS_REGION', 'AWS_DEFAULT_REGION') ?? DEFAULT_REGION,
      accessKeyId: given('AWS_ACCESS_KEY_ID'),
      secretAccessKey: given('AWS_SECRET_ACCESS_KEY'),
      sessionToken: given('AWS_SESSION_TOKEN'),
    },
    gcs: {
      endpoint: endpoint('GOOGLE_STORAGE_ENDPOINT'),
      accessKeyId: given('GOOGLE_HMAC_ACCESS_ID'),
      secretAccessKey: given('GOOGLE_HMAC_SECRET'),
    },
    azure: {
      connectionString: given('AZURE_STORAGE_CONNECTION_STRING'),
      endpoint: endpoint('AZURE_STORAGE_ENDPOINT'),
      account: given('AZURE_STORAGE_ACCOUNT_NAME'),
      key: given('AZURE_STORAGE_ACCOUNT_KEY'),
    },
  };
}
