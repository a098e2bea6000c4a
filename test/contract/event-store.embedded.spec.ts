import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { open } from 'lmdb';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { eventStoreContract, reopened } from './event-store.contract.js';

eventStoreContract('embedded', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-events-'));
  const open = () => openEmbeddedEventStore({ directory });
  return Promise.resolve(reopened(open, () => rmSync(directory, { recursive: true, force: true })));
});

/** Appends pairs of events for ever and prints each pair's number when it is acknowledged. */
const APPENDING = `
  const { openEmbeddedEventStore } = await import(process.argv[1]);
  const store = openEmbeddedEventStore({ directory: process.argv[2] });
  const events = (n) => ['a', 'b'].map((half) => ({ id: n + half, type: 'T', data: { n, half }, metadata: {} }));
  const lane = async (first) => {
    for (let n = first; ; n += 8) {
      await store.append('lane-' + first, events(n), 'any');
      console.log(n);
    }
  };
  await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map(lane));`;

it.each([1, 50, 500])(
  'keeps every acknowledged append whole when killed after %i of them',
  async (count) => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-events-kill-'));
    const built = pathToFileURL('dist/libs/event-store/embedded/index.js').href;
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', APPENDING, built, directory],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const exited = once(child, 'exit');
    const acknowledged: string[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line);
      if (acknowledged.length === count) child.kill('SIGKILL');
    }
    await exited;
    expect(acknowledged.length).toBeGreaterThanOrEqual(count);
    const store = openEmbeddedEventStore({ directory });
    try {
      const ids = new Set<string>();
      for await (const event of store.readAll()) ids.add(event.id);
      for (const n of acknowledged)
        expect([ids.has(`${n}a`), ids.has(`${n}b`)]).toEqual([true, true]);
      for (const id of ids)
        expect(ids.has(id.slice(0, -1) + (id.endsWith('a') ? 'b' : 'a'))).toBe(true);
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);

it.each([null, 7, 'text', [], {}, { stream: 'user-1' }, { stream: 7, revision: 0 }])(
  'says that it is damaged where %j stands for an event',
  async (value) => {
    const directory = mkdtempSync(join(tmpdir(), 'millrace-events-odd-'));
    const environment = open({ path: directory, maxDbs: 4 });
    const events = environment.openDB<unknown, number>({ name: 'events', encoding: 'json' });
    await events.put(1, value);
    await environment.close();
    const store = openEmbeddedEventStore({ directory });
    try {
      const reading = async (): Promise<void> => {
        for await (const event of store.readAll()) void event;
      };
      await expect(reading()).rejects.toThrow('is damaged');
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
);
