import type { KeptAppend } from '@app/ingest-queue';
import { KeyedUpload } from './idempotency-key.js';

const upload = (): KeyedUpload =>
  new KeyedUpload(
    {
      organization: { id: 'acme', name: 'acme', database: 'db', share: 'acme' },
      stream: 's',
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
});
