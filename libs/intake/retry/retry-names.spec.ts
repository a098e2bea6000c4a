import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedIngestQueue } from '../../ingest-queue/embedded/embedded-ingest-queue.js';
import { RetryNames } from './retry-names.js';

describe('names of appends of a retry', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-retry-names-'));
  const queue = openEmbeddedIngestQueue({ directory, maxBytes: 1e6 });
  afterAll(async () => {
    await queue.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const asked: string[] = [];
  const counted = {
    appended: (name: string) => {
      asked.push(name);
      return queue.appended(name);
    },
  };
  const append = (name: string) => queue.append([], { name, fingerprint: '', answer: '' });

  it('go on where they are, and ask for each number once when it is taken', async () => {
    const [own, others] = [new RetryNames(counted, 'S'), new RetryNames(queue, 'S')];
    const given: string[] = [];
    for (let step = 0; step < 20; step += 1) {
      const name = await own.next();
      given.push(name);
      expect(await others.next()).toBe(name);
      await append(name);
    }
    expect(given).toEqual(Array.from({ length: 20 }, (_, number) => `retry-S-${number}`));
    expect(asked.length).toBeLessThan(2 * given.length);
  });
});
