import { readFileSync, writeFileSync } from 'node:fs';
import {
  NAMES_KEPT_MS,
  QueueFullError,
  type Delivery,
  type IngestQueue,
  type QueuedRecord,
  type QueuePosition,
} from '@app/ingest-queue';

interface IngestQueueUnderTest {
  readonly queue: IngestQueue;
  /** Payload bytes the queue may hold. */
  readonly maxBytes: number;
  /** Sets the clock by which names grow old, milliseconds since the epoch; before, it is ours. */
  setClock(now: number): void;
  /** Absolute path for a payload file on the queue's file system. */
  payloadFile(name: string): string;
  /** Opens the same data again, as after a restart. */
  reopen(): Promise<IngestQueue>;
  dispose(): Promise<void>;
}

const LIMITS = { maxRecords: 100, maxBytes: 1_000_000 };

export const bytesOf = ({ payload }: QueuedRecord): Buffer =>
  'bytes' in payload ? Buffer.from(payload.bytes) : readFileSync(payload.file);

const record = (text: string, key = 'k') => ({
  key,
  headers: { text },
  payload: { bytes: Buffer.from(text) },
});

/** Takes deliveries until `count` records have come; commits each when asked to. */
export async function take(
  queue: IngestQueue,
  count: number,
  commit: boolean,
  limits = LIMITS,
): Promise<QueuedRecord[]> {
  const ending = new AbortController();
  const taken: QueuedRecord[] = [];
  for await (const delivery of queue.consume({ ...limits, signal: ending.signal })) {
    taken.push(...delivery.records);
    if (commit) await delivery.commit();
    if (taken.length >= count) ending.abort();
  }
  return taken;
}

const texts = (records: readonly QueuedRecord[]): string[] =>
  records.map((each) => bytesOf(each).toString());

export function ingestQueueContract(name: string, open: () => Promise<IngestQueueUnderTest>): void {
  describe(`IngestQueue contract: ${name}`, () => {
    let under: IngestQueueUnderTest;
    let queue: IngestQueue;

    beforeEach(async () => {
      under = await open();
      queue = under.queue;
    });
    afterEach(() => under.dispose());

    it('appends once under a name, and tells who comes again what was told then', async () => {
      const once = { name: 'n', fingerprint: 'f', answer: '{"a":1}' };
      expect(await queue.appended('n')).toBeUndefined();
      const [position] = await queue.append([record('a')], once);
      const kept = { ...once, position };
      expect(await queue.appended('n')).toEqual(kept);
      const again = { ...once, fingerprint: 'g', answer: '{"a":2}' };
      await expect(queue.append([record('b')], again)).rejects.toMatchObject({
        name: 'AlreadyAppendedError',
        kept,
      });
      await queue.append([record('c')], { ...once, name: 'other' });
      const reopened = await under.reopen();
      expect(await reopened.appended('n')).toEqual(kept);
      await expect(reopened.append([record('d')], once)).rejects.toMatchObject({ kept });
      expect(texts(await take(reopened, 2, true))).toEqual(['a', 'c']);
      expect(await reopened.appended('n')).toEqual(kept);
      expect(reopened.depth()).toEqual({ records: 0, bytes: 0 });
    });

    it('lets one of many appends of one name be the one', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 30 }, (_, n) =>
          queue.append([record(`r${n}`), record(`s${n}`)], {
            name: 'n',
            fingerprint: `${n}`,
            answer: `${n}`,
          }),
        ),
      );
      const won = outcomes.findIndex(({ status }) => status === 'fulfilled');
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ kept: { answer: `${won}` } });
      expect(texts(await take(queue, 2, true))).toEqual([`r${won}`, `s${won}`]);
    });

    it('keeps the name of an append that has no records', async () => {
      expect(await queue.append([], { name: 'n', fingerprint: 'f', answer: '0' })).toEqual([]);
      expect(await queue.appended('n')).toMatchObject({ answer: '0', position: undefined });
      await queue.append([record('a')]);
      expect(texts(await take(queue, 1, true))).toEqual(['a']);
    });

    it('keeps the names that an append renews as long as its own', async () => {
      const start = Date.now();
      const hours = (count: number): void => under.setClock(start + count * 3_600_000);
      const old = { name: 'old', fingerprint: 'f', answer: '1' };
      hours(-20);
      const [position] = await queue.append([record('a')], old);
      const kept = { ...old, position };
      hours(-1);
      const next = { name: 'next', fingerprint: 'f', answer: '2' };
      await queue.append([record('b')], { ...next, renews: [kept] });
      const reopened = await under.reopen();
      under.setClock(start - 3_600_000 + NAMES_KEPT_MS - 1);
      expect(await reopened.appended('old')).toEqual(kept);
      expect(await reopened.appended('next')).toMatchObject(next);
      await expect(reopened.append([record('c')], old)).rejects.toMatchObject({ kept });
      hours(24);
      expect(await reopened.appended('old')).toBeUndefined();
      expect(await reopened.appended('next')).toBeUndefined();
    });

    it('renews no name under which another append has come meanwhile', async () => {
      const start = Date.now() - NAMES_KEPT_MS - 1000;
      const old = { name: 'old', fingerprint: 'f', answer: '1' };
      const next = { name: 'next', fingerprint: 'f', answer: '2' };
      under.setClock(start);
      const [before] = await queue.append([record('a')], old);
      const seen = await queue.appended('old');
      expect(seen).toEqual({ ...old, position: before });
      under.setClock(start + NAMES_KEPT_MS);
      const [position] = await queue.append([record('b')], old);
      const kept = { ...old, position };
      const late = queue.append([record('c')], { ...next, renews: seen ? [seen] : [] });
      await expect(late).rejects.toMatchObject({ name: 'AlreadyAppendedError', kept });
      expect(await queue.appended('old')).toEqual(kept);
      expect(await queue.appended('next')).toBeUndefined();
      await queue.append([record('d')], { ...next, renews: [kept] });
      expect(texts(await take(queue, 3, true))).toEqual(['a', 'b', 'd']);
      expect(queue.depth()).toEqual({ records: 0, bytes: 0 });
    });

    it('delivers what was appended, in order, with key, headers and bytes', async () => {
      const positions = await queue.append([record('a'), record('b', 'other')]);
      await queue.append([record('c')]);
      const taken = await take(queue, 3, true);
      expect(texts(taken)).toEqual(['a', 'b', 'c']);
      expect(taken[1]).toMatchObject({ key: 'other', headers: { text: 'b' } });
      expect(taken.slice(0, 2).map(({ position }) => position)).toEqual(positions);
      const offsets = taken.map(({ position }) => position.offset);
      expect(offsets).toEqual([...new Set(offsets)].sort((x, y) => (x < y ? -1 : 1)));
    });

    it('takes over a payload file, and frees it after the commit', async () => {
      const file = under.payloadFile('large.native.zst');
      writeFileSync(file, 'columns');
      await queue.append([{ key: 'k', headers: {}, payload: { file } }]);
      expect(() => readFileSync(file)).toThrow(/ENOENT/);
      const ending = new AbortController();
      for await (const delivery of queue.consume({ ...LIMITS, signal: ending.signal })) {
        const [taken] = delivery.records;
        expect(taken && bytesOf(taken).toString()).toBe('columns');
        await delivery.commit();
        if (taken && 'file' in taken.payload) expect(() => bytesOf(taken)).toThrow();
        ending.abort();
      }
      expect(queue.depth()).toEqual({ records: 0, bytes: 0 });
    });

    it('delivers again what was not committed, to the next consumer and after a restart', async () => {
      await queue.append([record('a'), record('b'), record('c')]);
      expect(texts(await take(queue, 1, true, { maxRecords: 1, maxBytes: 1 }))).toEqual(['a']);
      expect(texts(await take(queue, 2, false))).toEqual(['b', 'c']);
      expect(texts(await take(queue, 2, false))).toEqual(['b', 'c']);
      const reopened = await under.reopen();
      expect(reopened.depth().records).toBe(2);
      expect([...reopened.lag().values()].reduce((sum, each) => sum + each, 0)).toBe(2);
      await reopened.reach();
      expect(texts(await take(reopened, 2, true))).toEqual(['b', 'c']);
    });

    it('tells how far all is committed, and nothing more, also after a restart', async () => {
      const before = await queue.written('k');
      const [first, second, third] = await queue.append(
        ['a', 'b', 'c'].map((text) => record(text)),
      );
      if (!first || !second || !third) throw new Error('want three');
      expect(await queue.written('k')).toEqual(before);
      expect(before.partition).toBe(first.partition);
      expect(before.offset).toBeLessThanOrEqual(first.offset);
      await take(queue, 2, false, { maxRecords: 2, maxBytes: 1000 });
      expect(await queue.written('k')).toEqual(before);
      await take(queue, 1, true, { maxRecords: 1, maxBytes: 1 });
      const { offset } = await queue.written('k');
      expect(offset).toBeGreaterThan(first.offset);
      expect(offset).toBeLessThanOrEqual(second.offset);
      const reopened = await under.reopen();
      expect(await reopened.written('k')).toEqual({ ...before, offset });
      await take(reopened, 2, true);
      expect((await reopened.written('k')).offset).toBeGreaterThan(third.offset);
    });

    it('tells which records were set aside, and of what they were a part', async () => {
      const positions = await queue.append([record('a'), record('b'), record('c')]);
      const [first, second, third] = positions;
      if (!first || !second || !third) throw new Error('want three');
      const ending = new AbortController();
      for await (const delivery of queue.consume({ ...LIMITS, signal: ending.signal })) {
        const aside = delivery.records.filter((each) => bytesOf(each).toString() === 'b');
        await delivery.commit(aside.map(({ position }) => position));
        if (delivery.records.some(({ position }) => position.offset === third.offset))
          ending.abort();
      }
      await queue.awaitCommitted(third);
      const told = (position: QueuePosition, from = position): boolean =>
        queue.wasSetAside(position, from.offset);
      expect([told(first), told(second), told(third)]).toEqual([false, true, false]);
      expect([told(third, first), told(third, second)]).toEqual([true, true]);
    });

    it('never uses an offset twice, not even after everything was consumed and a restart', async () => {
      const [first] = await queue.append([record('a')]);
      await take(queue, 1, true);
      const reopened = await under.reopen();
      const [second] = await reopened.append([record('b')]);
      expect(second?.offset).toBeGreaterThan(first?.offset ?? 0n);
    });

    it('bounds a delivery by records and by bytes, but never to nothing', async () => {
      const sizes = async (limits: { maxRecords: number; maxBytes: number }): Promise<number[]> => {
        const ending = new AbortController();
        const found: number[] = [];
        await queue.append(['aaaa', 'bbbb', 'cccc', 'dddd'].map((text) => record(text)));
        for await (const delivery of queue.consume({ ...limits, signal: ending.signal })) {
          found.push(delivery.records.length);
          await delivery.commit();
          if (found.reduce((sum, size) => sum + size, 0) === 4) ending.abort();
        }
        return found;
      };
      expect(await sizes({ maxRecords: 3, maxBytes: 1000 })).toEqual([3, 1]);
      expect(await sizes({ maxRecords: 100, maxBytes: 8 })).toEqual([2, 2]);
      expect(await sizes({ maxRecords: 100, maxBytes: 1 })).toEqual([1, 1, 1, 1]);
    });

    it('waits for records that come later, and ends when told to', async () => {
      const ending = new AbortController();
      const deliveries: Delivery[] = [];
      const consuming = (async () => {
        for await (const delivery of queue.consume({ ...LIMITS, signal: ending.signal })) {
          deliveries.push(delivery);
          await delivery.commit();
          if (deliveries.flatMap(({ records }) => records).length === 20) ending.abort();
        }
      })();
      await Promise.all(Array.from({ length: 20 }, (_, n) => queue.append([record(String(n))])));
      await consuming;
      expect(deliveries.flatMap(({ records }) => texts(records)).sort()).toEqual(
        Array.from({ length: 20 }, (_, n) => String(n)).sort(),
      );
    });

    it('leaves room for others when one owner floods it', async () => {
      const piece = (owner: string, share: number) => ({
        key: owner,
        headers: {},
        payload: { bytes: Buffer.alloc(Math.floor(under.maxBytes * share)) },
        owner,
      });
      const flood = async (owner: string): Promise<number> => {
        for (let times = 0; ; times += 1) {
          const failure: unknown = await queue
            .append([piece(owner, 0.05)])
            .catch((e: unknown) => e);
          if (failure instanceof QueueFullError) return times;
          expect(Array.isArray(failure)).toBe(true);
        }
      };
      expect(await flood('a')).toBe(10);
      expect(await flood('b')).toBe(5);
      // An organization with nothing in the queue may take all free room.
      await queue.append([piece('c', 0.2)]);
      await expect(queue.append([piece('d', 0.1)])).rejects.toBeInstanceOf(QueueFullError);
      await take(queue, 16, true, { maxRecords: 10, maxBytes: under.maxBytes });
      await queue.append([piece('a', 0.7)]);
    });

    it('refuses more than it may hold, whole, and takes it when there is room again', async () => {
      const half = Buffer.alloc(Math.ceil(under.maxBytes * 0.6));
      await queue.append([{ key: 'k', headers: {}, payload: { bytes: half } }]);
      const more = queue.append([
        record('small'),
        { key: 'k', headers: {}, payload: { bytes: half } },
      ]);
      await expect(more).rejects.toBeInstanceOf(QueueFullError);
      expect(queue.depth().records).toBe(1);
      await take(queue, 1, true, { maxRecords: 10, maxBytes: under.maxBytes });
      await queue.append([{ key: 'k', headers: {}, payload: { bytes: half } }]);
    });
  });
}
