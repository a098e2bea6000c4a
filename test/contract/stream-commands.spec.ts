import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import {
  CommandPipeline,
  EventStore,
  Projector,
  systemContext,
  type AppendResult,
  type Decider,
  type ExpectedRevision,
  type NewEvent,
  type ReadStreamOptions,
  type RecordedEvent,
} from '@app/event-store';
import { MillraceError } from '@app/platform';
import { openEmbeddedEventStore } from '@app/event-store/embedded';
import { rounds } from '../rounds.js';

type Taken = { readonly type: 'Taken'; readonly data: { readonly word: string } };
type Words = readonly string[];

/** A list in which a word may stand once; an empty word changes nothing. */
const words: Decider<Words, string, Taken> = {
  initialState: [],
  evolve: (state, { data }) => [...state, data.word],
  decide: (state, word) => {
    if (word === '') return [];
    if (state.includes(word)) throw new MillraceError('ALREADY_EXISTS', word);
    return [{ type: 'Taken', data: { word } }];
  },
};

type Outcome = 'succeed' | 'fail before' | 'fail after';

/** Counts reads and appends; appends fail when they are told to. */
class WatchedStore extends EventStore {
  readonly plan: Outcome[] = [];
  read1 = 0;
  appends = 0;

  constructor(private readonly store: EventStore) {
    super();
  }

  async append(
    stream: string,
    events: readonly NewEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    this.appends += 1;
    const outcome = this.plan.shift() ?? 'succeed';
    if (outcome === 'fail before') throw new MillraceError('NOT_READY', 'away');
    const appended = await this.store.append(stream, events, expected);
    if (outcome === 'fail after') throw new MillraceError('NOT_READY', 'away');
    return appended;
  }

  async *read(stream: string, options?: ReadStreamOptions): AsyncIterable<RecordedEvent> {
    for await (const event of this.store.read(stream, options)) {
      this.read1 += 1;
      yield event;
    }
  }

  readAll = () => this.store.readAll();
  subscribe = (options: { signal: AbortSignal }) => this.store.subscribe(options);
  lastPosition = () => this.store.lastPosition();
  close = () => this.store.close();
}

describe('commands for a stream', () => {
  let directory: string;
  let stored: EventStore;
  let nodes: {
    readonly store: WatchedStore;
    readonly pipeline: CommandPipeline;
    stop(): Promise<void>;
  }[];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-stream-commands-'));
    stored = openEmbeddedEventStore({ directory });
    nodes = [];
    for (let n = 0; n < 2; n += 1) {
      const projector = new Projector(stored, [], { error: () => undefined });
      await projector.start();
      const store = new WatchedStore(stored);
      const pipeline = new CommandPipeline(store, projector, {
        seal: () => '',
        fingerprint: (text) => text,
      });
      nodes.push({ store, pipeline, stop: () => projector.stop() });
    }
  });
  afterEach(async () => {
    for (const node of nodes) await node.stop();
    await stored.close();
    rmSync(directory, { recursive: true, force: true });
  });

  const node = (n: number) => {
    const found = nodes[n];
    if (!found) throw new Error('there are two');
    return found;
  };
  const take = (n: number, stream: string, word: string, commandId?: string): Promise<Words> =>
    node(n).pipeline.handle({
      decider: words,
      stream,
      command: word,
      context: { ...systemContext(), ...(commandId === undefined ? {} : { commandId }) },
    });
  const inStore = async (stream: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const { data } of stored.read(stream)) found.push((data as Taken['data']).word);
    return found;
  };

  it('reads a stream once, and then only what is newer', async () => {
    for (let n = 0; n < 20; n += 1) await take(0, 's', `w${n}`);
    expect(node(0).store.read1).toBe(0);
    await take(1, 's', 'other');
    expect(node(1).store.read1).toBe(20);
    await take(0, 's', 'mine');
    expect(node(0).store.read1).toBe(1);
    expect(await inStore('s')).toHaveLength(22);
  });

  it('appends together what came while others were appended', async () => {
    const all = Array.from({ length: 100 }, (_, n) => take(0, 's', `w${n}`));
    const states = await Promise.all(all);
    expect(states.map((state) => state.at(-1))).toEqual(all.map((_, n) => `w${n}`));
    expect(await inStore('s')).toEqual(all.map((_, n) => `w${n}`));
    expect(node(0).store.appends).toBeLessThan(10);
  });

  it('refuses, and finds nothing to do, by what is stored and not by what is kept', async () => {
    await take(0, 's', 'a');
    await take(1, 's', 'b');
    await expect(take(0, 's', 'b')).rejects.toMatchObject({ kind: 'ALREADY_EXISTS' });
    expect(await take(1, 's', '')).toEqual(['a', 'b']);
    await take(0, 's', 'c');
    expect(await take(1, 's', '')).toEqual(['a', 'b', 'c']);
  });

  it('does a command once that comes again, at once or later, here or there', async () => {
    const twice = await Promise.all([take(0, 's', 'a', 'same'), take(0, 's', 'x', 'same')]);
    expect(twice).toEqual([['a'], ['a']]);
    expect(await take(1, 's', 'y', 'same')).toEqual(['a']);
    expect(await take(0, 's', 'z', 'same')).toEqual(['a']);
    expect(await inStore('s')).toEqual(['a']);
  });

  it('refuses another command that comes under the same key, at once or later, here or there', async () => {
    const ask = (n: number, word: string, content: string): Promise<Words> =>
      node(n).pipeline.handle({
        decider: words,
        stream: 's',
        command: word,
        context: { ...systemContext(), commandId: 'same', content },
      });
    const conflict = expect.objectContaining({ kind: 'CONFLICT' }) as Error;
    const all = await Promise.allSettled([ask(0, 'a', 'A'), ask(0, 'b', 'B'), ask(0, 'a', 'A')]);
    expect(all).toEqual([
      { status: 'fulfilled', value: ['a'] },
      { status: 'rejected', reason: conflict },
      { status: 'fulfilled', value: ['a'] },
    ]);
    await expect(ask(1, 'b', 'B')).rejects.toEqual(conflict);
    expect(await ask(1, 'a', 'A')).toEqual(['a']);
    expect(await inStore('s')).toEqual(['a']);
  });

  it('has large ones alone, so that a store takes each append', async () => {
    const large = 'x'.repeat(100 * 1024);
    await Promise.all(Array.from({ length: 10 }, (_, n) => take(0, 's', `${n}${large}`)));
    expect(await inStore('s')).toHaveLength(10);
    expect(node(0).store.appends).toBe(10);
  });

  it('tells nobody of a failure who had no part in it', async () => {
    node(0).store.plan.push('succeed', 'fail before');
    const large = 'x'.repeat(200 * 1024);
    const asked = ['first', large, 'small'].map((word) => take(0, 's', word));
    const results = await Promise.allSettled(asked);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await inStore('s')).toEqual(['first', 'small']);
  });

  it('ends as if each came alone, on two nodes, with failures and refusals in between', async () => {
    const asked = fc.record({
      node: fc.nat({ max: 1 }),
      stream: fc.constantFrom('s', 't'),
      word: fc.constantFrom('', 'a', 'b', 'c', 'd', 'e', 'f'),
      wait: fc.boolean(),
    });
    const outcome = fc.constantFrom<Outcome>('succeed', 'fail before', 'fail after');
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(asked, { maxLength: 30 }),
        fc.array(outcome, { maxLength: 6 }),
        async (commands, outcomes) => {
          round += 1;
          node(0).store.plan.splice(0, Infinity, ...outcomes);
          const results: Promise<Words | string>[] = [];
          for (const { node: n, stream, word, wait } of commands) {
            const result = take(n, `${stream}${round}`, word).catch(
              (error: unknown) => (error as MillraceError).kind,
            );
            results.push(result);
            if (wait) await result;
          }
          const answers = await Promise.all(results);
          for (const name of ['s', 't']) {
            const list = await inStore(`${name}${round}`);
            // Each word is there once, so nothing was decided on an outdated state.
            expect(new Set(list).size).toBe(list.length);
            for (const [index, { stream, word }] of commands.entries()) {
              const answer = answers[index];
              if (stream !== name || answer === undefined) continue;
              // A change that was answered is stored, and so is one that an answer has shown.
              if (typeof answer !== 'string') expect(list.slice(0, answer.length)).toEqual(answer);
              if (typeof answer !== 'string' && word !== '') expect(answer).toContain(word);
              if (answer === 'ALREADY_EXISTS') expect(list).toContain(word);
            }
          }
        },
      ),
      { numRuns: rounds(20, 300) },
    );
  }, 60_000);
});
