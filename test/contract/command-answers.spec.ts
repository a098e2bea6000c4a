import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CommandPipeline,
  Projector,
  reservation,
  systemContext,
  type EventStore,
  type RecordedEvent,
} from '@app/event-store';
import { openEmbeddedEventStore } from '../../libs/event-store/embedded/embedded-event-store.js';

/** Even a busy machine does not stop for so long. */
const MAX_WAIT_MS = 500;

describe('commands whose read model', () => {
  let directory: string;
  let store: EventStore;
  let projector: Projector;
  let pipeline: CommandPipeline;
  /** The read model applies an event by this function. */
  let apply: (event: RecordedEvent) => Promise<void>;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-answers-'));
    store = openEmbeddedEventStore({ directory });
    apply = () => Promise.resolve();
    const model = { name: 'model', apply: (event: RecordedEvent) => apply(event) };
    const log = { error: () => undefined };
    projector = new Projector(store, [model], log, undefined, MAX_WAIT_MS);
    await projector.start();
    pipeline = new CommandPipeline(store, projector, {
      seal: () => '',
      fingerprint: (text) => text,
    });
  });
  afterEach(async () => {
    apply = () => Promise.resolve();
    await projector.stop();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const take = (name: string, isReservation = false) =>
    pipeline.handle({
      decider: reservation('Name'),
      stream: `name-${name}`,
      command: { type: 'reserve', holder: 'H' },
      context: systemContext(),
      isReservation,
    });
  const recorded = async (): Promise<string[]> => {
    const names: string[] = [];
    for await (const { stream } of store.readAll()) names.push(stream);
    return names;
  };
  const fail = (): Promise<void> => Promise.reject(new Error('no disk'));

  it('fails say that what they changed is recorded; those after are refused before they change anything', async () => {
    apply = fail;
    await expect(take('a')).rejects.toMatchObject({
      kind: 'NOT_READY',
      message: expect.stringContaining('what was changed is recorded') as string,
      retryAfterSeconds: expect.any(Number) as number,
    });
    await expect(take('b')).rejects.toMatchObject({
      kind: 'NOT_READY',
      message: expect.stringContaining('nothing was changed') as string,
    });
    await expect(take('c', true)).rejects.toMatchObject({
      message: expect.stringContaining('nothing was changed') as string,
    });
    expect(await recorded()).toEqual(['name-a']);
  });

  it('stands still say the same; a name is taken without it, and what happened is kept', async () => {
    let goOn = (): void => undefined;
    apply = () => new Promise((resolve) => (goOn = resolve));
    await expect(take('a')).rejects.toMatchObject({
      message: expect.stringContaining('what was changed is recorded') as string,
    });
    expect(await take('b', true)).toBe('H');
    await pipeline.record('login-x', { type: 'LoginFailed', data: {} }, systemContext());
    expect(await recorded()).toEqual(['name-a', 'name-b', 'login-x']);
    apply = () => Promise.resolve();
    goOn();
    expect(await take('c')).toBe('H');
  });

  it('is slow are waited for as long as it comes nearer', async () => {
    apply = () => new Promise((resolve) => void setTimeout(resolve, MAX_WAIT_MS / 5));
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => take(name));
    expect(await Promise.all(all)).toEqual(all.map(() => 'H'));
  });
});
