import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { openEmbeddedIngestQueue } from '../../libs/ingest-queue/embedded/embedded-ingest-queue.js';
import { ingestQueueContract, take } from './ingest-queue.contract.js';

const MAX_BYTES = 10_000_000;

ingestQueueContract('embedded', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
  const open = () => openEmbeddedIngestQueue({ directory, maxBytes: MAX_BYTES });
  let queue = open();
  return {
    queue,
    maxBytes: MAX_BYTES,
    payloadFile: (name) => join(directory, name),
    reopen: async () => {
      await queue.close();
      queue = open();
      return queue;
    },
    dispose: async () => {
      await queue.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
});

describe('the embedded queue', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));
  const open = () => openEmbeddedIngestQueue({ directory, maxBytes: MAX_BYTES });

  it('forgets payload files that no record names: a crash between moving and naming leaves them', async () => {
    const queue = open();
    const file = join(directory, 'named.native.zst');
    writeFileSync(file, 'x');
    await queue.append([{ key: 'k', headers: {}, payload: { file } }]);
    await queue.close();
    const orphan = join(directory, 'payloads', 'orphan.native.zst');
    writeFileSync(orphan, 'x');
    const reopened = open();
    expect(existsSync(orphan)).toBe(false);
    expect(readdirSync(join(directory, 'payloads'))).toHaveLength(1);
    await reopened.close();
  });

  it('behaves as a list does, through appends, commits and restarts', async () => {
    const step = fc.oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          do: fc.constant('append' as const),
          n: fc.integer({ min: 1, max: 5 }),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          do: fc.constant('take' as const),
          n: fc.integer({ min: 1, max: 4 }),
          commit: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen' as const) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        let queue = open();
        const model: string[] = [];
        let next = 0;
        for (const each of steps) {
          if (each.do === 'append') {
            const fresh = Array.from({ length: each.n }, () => String(next++));
            await queue.append(
              fresh.map((text) => ({
                key: 'k',
                headers: {},
                payload: { bytes: Buffer.from(text) },
              })),
            );
            model.push(...fresh);
          } else if (each.do === 'reopen') {
            await queue.close();
            queue = open();
          } else if (model.length > 0) {
            const taken = await take(queue, 1, each.commit, { maxRecords: each.n, maxBytes: 1000 });
            expect(
              taken.map(({ payload }) =>
                'bytes' in payload ? Buffer.from(payload.bytes).toString() : '',
              ),
            ).toEqual(model.slice(0, each.n));
            if (each.commit) model.splice(0, each.n);
          }
          expect(queue.depth().records).toBe(model.length);
        }
        if (model.length > 0) await take(queue, model.length, true);
        await queue.close();
      }),
      { numRuns: 30 },
    );
  }, 60_000);
});
