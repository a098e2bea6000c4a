import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import S3rver from 's3rver';

/** The only keys that the server knows. */
const KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
export const BUCKET = 'test-data';

export interface S3 {
  /** Environment variables for a program that uses this server. */
  readonly variables: Readonly<Record<string, string>>;
  put(key: string, file: string): Promise<void>;
  remove(key: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `s3rver`, a server of S3's protocol from the registry, with one bucket. */
export async function startS3(): Promise<S3> {
  const directory = mkdtempSync(join(tmpdir(), 's3-'));
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new AwsClient({ ...KEYS, region: 'us-east-1', service: 's3' });
  const addressOf = (key: string): string =>
    `${endpoint}/${BUCKET}/${key.split('/').map(encodeURIComponent).join('/')}`;
  return {
    variables: {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
      AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
      AWS_REGION: 'us-east-1',
    },
    put: async (key, file) => {
      const answer = await client.fetch(addressOf(key), {
        method: 'PUT',
        body: readFileSync(file),
      });
      if (!answer.ok) throw new Error(`S3 does not take ${key}: ${await answer.text()}`);
    },
    remove: async (key) => {
      const answer = await client.fetch(addressOf(key), { method: 'DELETE' });
      if (!answer.ok) throw new Error(`S3 does not remove ${key}: ${await answer.text()}`);
    },
    stop: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
