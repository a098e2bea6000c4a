import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync, closeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BucketError, S3Bucket } from '@app/object-store';
import { KEYS, REGION, startS3Double } from '../doubles/s3/s3-double.js';
import { freePort } from '../server/free-port.mjs';
import { BUCKET, startS3, type S3 } from '../server/start-s3.js';

const MIB = 1024 ** 2;

describe('a bucket of S3', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-bucket-'));
  let s3: S3;
  let bucket: S3Bucket;
  const access = (endpoint: string | undefined) => ({
    ...{ endpoint, region: 'us-east-1', sessionToken: undefined },
    ...{ accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });
  const file = (name: string, content: string): string => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };
  beforeAll(async () => {
    s3 = await startS3();
    bucket = new S3Bucket(access(s3.variables.AWS_ENDPOINT_URL), BUCKET);
  });
  afterAll(async () => {
    await s3.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it.each([
    ['a plain key', 'a/b.txt', 'text'],
    ['signs that addresses do not have', "ä b/+&?#%'()*.txt", 'text'],
    ['nothing in it', 'a/empty', ''],
  ])('gives back what was put: %s', async (_, key, content) => {
    await bucket.put(key, file('one', content));
    expect(await (await bucket.get(key))?.text()).toBe(content);
    expect(await bucket.list(key)).toEqual([key]);
  });

  it('takes a file that is larger than a request may be, in parts', async () => {
    const path = join(directory, 'large');
    const descriptor = openSync(path, 'w');
    const chunk = Buffer.alloc(MIB);
    const sent = createHash('sha256');
    for (let n = 0; n < 150; n += 1) {
      chunk.fill(n);
      sent.update(chunk);
      writeSync(descriptor, chunk);
    }
    closeSync(descriptor);
    await bucket.put('large', path);
    const got = createHash('sha256');
    const content = await (await bucket.get('large'))?.arrayBuffer();
    got.update(Buffer.from(content ?? new ArrayBuffer()));
    expect(got.digest('hex')).toBe(sent.digest('hex'));
  });

  it('lists all keys, however many pages they are, and says when it is refused', async () => {
    const keys = ['many/a', 'many/b', 'many/c', 'many/d', 'many/e/f', 'many/g', 'many/h', 'other'];
    const empty = Buffer.alloc(0);
    const double = await startS3Double(new Map(keys.map((key) => [`${BUCKET}/${key}`, empty])));
    try {
      const place = { ...access(double.endpoint), ...KEYS, region: REGION };
      const paged = new S3Bucket(place, BUCKET);
      const many = keys.filter((key) => key.startsWith('many/'));
      expect(await paged.list('many/')).toEqual(many);
      expect(await paged.list('many/', '/')).toEqual(many.filter((key) => key !== 'many/e/f'));
      const stranger = new S3Bucket({ ...place, secretAccessKey: 'other' }, BUCKET);
      const refused: unknown = await stranger.list('').catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(BucketError);
      expect(refused).toMatchObject({ status: 403, isTemporary: false });
    } finally {
      await double.stop();
    }
  });

  it.each([
    ['a page of a proxy', '<html><body>Sign in</body></html>'],
    ['no document', '<<<'],
    ['a failure behind a 200', '<Error><Code>InternalError</Code></Error>'],
  ])('tells an answer that is not S3’s by an error of its own: %s', async (_, answer) => {
    const server = createServer((_request, response) => void response.end(answer));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const odd = new S3Bucket(access(`http://127.0.0.1:${port}`), BUCKET);
      const large = join(directory, 'over-one-part');
      writeFileSync(large, Buffer.alloc(65 * MIB));
      // Each is asked when the one before has failed, or its failure would be nobody's meanwhile.
      for (const ask of [() => odd.list(''), () => odd.put('large', large)]) {
        const failure: unknown = await ask().catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(BucketError);
        expect(failure).toMatchObject({ status: 200, isTemporary: false });
        expect(String(failure)).toContain('it is no answer of S3');
      }
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it('tells what is not there from what cannot be reached or is refused', async () => {
    expect(await bucket.get('none')).toBeUndefined();
    const endpoint = s3.variables.AWS_ENDPOINT_URL;
    expect(await new S3Bucket(access(endpoint), 'no-such-bucket').list('')).toBeUndefined();
    const away = new S3Bucket(access(`http://127.0.0.1:${await freePort()}`), BUCKET);
    await expect(away.get('a')).rejects.toMatchObject({
      isTemporary: true,
      message: expect.stringMatching(/cannot be reached \(.*ECONNREFUSED/) as string,
    });
  });
});
