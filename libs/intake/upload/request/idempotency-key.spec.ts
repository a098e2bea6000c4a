import type { KeptAppend } from '@app/ingest-queue';
import { KeyedUpload } from './idempotency-key.js';

const upload = (admitAnswer?: (bytes: number) => void): KeyedUpload =>
  new KeyedUpload(
    {
      organization: { id: 'acme', name: 'acme', database: 'db', share: 'acme' },
      stream: 's',
      ...(admitAnswer && { admitAnswer }),
      format: { kind: 'json' },
      body: (async function* () {
        await Promise.resolve();
        yield Buffer.from('[{"a":1}]');
      })(),
    },
    'key',
  );
const RESULT = { stream: 's', successful: 1, failed: 0, error: undefined };

describe('a keyed upload', () => {
  it('renews with its own name those that it passed over: by way of them it is found again', async () => {
    const kept: KeptAppend[] = [];
    for (const stream of ['first', 'second', 'third']) {
      const again = upload();
      for (const before of kept) {
        expect(again.name).toBe(before.name);
        again.passOver(before);
      }
      await again.read();
      const { renews, ...append } = again.append(RESULT, [stream]);
      expect(renews).toEqual(kept);
      kept.push({ ...append, position: undefined });
    }
    expect(new Set(kept.map(({ name }) => name)).size).toBe(3);
  });

  it('asks for room for its answer before anything is stored', async () => {
    const refusal = new Error('too many');
    const asked: number[] = [];
    const keyed = upload((bytes) => {
      asked.push(bytes);
      throw refusal;
    });
    await keyed.read();
    expect(() => keyed.append({ ...RESULT, error: 'x'.repeat(5000) }, ['s'])).toThrow(refusal);
    expect(asked).toEqual([expect.any(Number)]);
    expect(asked[0]).toBeGreaterThan(5000);
  });
});
