import { z } from 'zod';

/** The access to a store that speaks S3. */
export interface S3Access {
  /** The address of the store, without `/` at its end; undefined: Amazon's. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly accessKeyId: string;
  /** Secret. */
  readonly secretAccessKey: string;
  /** Secret. */
  readonly sessionToken: string | undefined;
}

/** The variables that AWS's own programs also read. */
export const s3Variables = {
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_REGION: z.string().default('us-east-1'),
  AWS_ENDPOINT_URL: z.url({ protocol: /^https?$/ }).optional(),
};

type Values = z.output<z.ZodObject<typeof s3Variables>>;

/** @returns undefined without keys */
export function s3Access(variables: Values): S3Access | undefined {
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
