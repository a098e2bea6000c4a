import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Projector, type EventStore, type RecordedEvent } from '@app/event-store';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';
import { newEvent } from './event-store.contract.js';

describe('the projector, on the embedded store', () => {
  let directory: string;
  let store: EventStore;
  let projector: Projector | undefined;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-projector-'));
    store = openEmbeddedEventStore({ directory });
  });
  afterEach(async () => {
    await projector?.stop();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const log = { error: () => undefined };

  it('replays what is stored, then follows, and says when a position is reached', async () => {
    const seen: string[] = [];
    const projection = {
      name: 'p',
      apply: (event: RecordedEvent) => void seen.push(event.type),
      caughtUp: () => void seen.push('|'),
    };
    await store.append('a-1', [newEvent('A'), newEvent('B')], 'no-stream');
    projector = new Projector(store, [projection], log);
    await projector.start();
    const { position } = await store.append('a-1', [newEvent('C')], 1);
    await projector.awaitPosition(position);
    expect(seen).toEqual(['A', 'B', '|', 'C']);
  });

  it('tries a failing projection again, tells commands meanwhile, and gives each event once to each', async () => {
    const first: string[] = [];
    const second: string[] = [];
    let failures = 2;
    const failing = {
      name: 'failing',
      apply: (event: RecordedEvent) => {
        if (failures-- > 0) throw new Error('disk');
        second.push(event.type);
      },
    };
    projector = new Projector(
      store,
      [{ name: 'first', apply: (event: RecordedEvent) => void first.push(event.type) }, failing],
      log,
    );
    await projector.start();
    const { position } = await store.append('a-1', [newEvent('A')], 'no-stream');
    await expect(projector.awaitPosition(position)).rejects.toMatchObject({
      kind: 'NOT_READY',
      retryAfterSeconds: 5,
    });
    const later = await store.append('a-1', [newEvent('B')], 0);
    const reached = async (): Promise<void> => {
      for (;;) {
        const done = await projector?.awaitPosition(later.position).then(
          () => true,
          () => false,
        );
        if (done) return;
        await new Promise(setImmediate);
      }
    };
    await reached();
    expect([first, second]).toEqual([
      ['A', 'B'],
      ['A', 'B'],
    ]);
  });
});
