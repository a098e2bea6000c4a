import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbeddedIngestQueue } from '../../libs/ingest-queue/embedded/embedded-ingest-queue.js';
import { DiskPace } from '../../libs/ingest-queue/embedded/disk-pace.js';
import { bytesOf, take } from './ingest-queue.contract.js';

const MAX_BYTES = 1000;

describe('a queue that is held for a backup', () => {
  let directory: string;
  let copy: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-queue-'));
    copy = join(mkdtempSync(join(tmpdir(), 'millrace-copy-')), 'queue');
  });
  afterEach(() => {
    for (const each of [directory, join(copy, '..')]) rmSync(each, { recursive: true });
  });
  const open = (at = directory) => openEmbeddedIngestQueue({ directory: at, maxBytes: MAX_BYTES });
  const record = (text: string, size = text.length) => ({
    key: 'k',
    headers: {},
    owner: 'o',
    payload: { bytes: Buffer.from(text.padEnd(size)) },
  });
  const inFile = (text: string) => {
    const file = join(directory, `${text}.native.zst`);
    writeFileSync(file, text);
    return { ...record(text), payload: { file } };
  };
  const texts = async (queue: ReturnType<typeof open>, count: number, commit = false) =>
    (await take(queue, count, commit)).map((each) => bytesOf(each).toString());
  const payloads = (at = directory): string[] => readdirSync(join(at, 'payloads'));

  it('gives a copy that has all that was not done when it began, and what came after', async () => {
    const queue = open();
    await queue.append([record('done')]);
    await take(queue, 1, true);
    await queue.append([record('a'), inFile('b')]);
    const hold = await queue.hold();
    await queue.append([inFile('c')]);
    expect(await texts(queue, 3, true)).toEqual(['a', 'b', 'c']);
    expect(queue.depth()).toEqual({ records: 0, bytes: 0 });
    const [last] = await queue.append([record('d')], { name: 'n', fingerprint: '', answer: 'x' });
    await hold.copyTo(copy);
    expect(payloads(copy)).toHaveLength(2);
    await queue.append([record('late')]);
    await hold.release();
    expect(payloads()).toEqual([]);
    expect(await texts(queue, 2)).toEqual(['d', 'late']);
    await queue.close();

    const copied = open(copy);
    expect(copied.depth().records).toBe(4);
    expect(await copied.appended('n')).toMatchObject({ answer: 'x', position: last });
    expect(await texts(copied, 4)).toEqual(['a', 'b', 'c', 'd']);
    const [next] = await copied.append([record('e')]);
    expect(next).toEqual({ partition: last?.partition, offset: (last?.offset ?? 0n) + 1n });
    await copied.close();
  });

  it('gives a copy that has what was done out of order, in its place', async () => {
    const queue = open();
    const of = (key: string) => ({ ...record(key), key, owner: key[0] ?? '' });
    const few = { maxRecords: 1, maxBytes: 1 };
    await queue.append([of('a1'), of('a2'), of('b1'), of('a1')]);
    expect(await take(queue, 1, true, few)).toMatchObject([{ key: 'a1' }]);
    const hold = await queue.hold();
    expect(await take(queue, 1, true, few)).toMatchObject([{ key: 'b1' }]);
    await hold.copyTo(copy);
    await hold.release();
    expect(await texts(queue, 2, true)).toEqual(['a2', 'a1']);
    await queue.close();

    const copied = open(copy);
    expect(copied.depth().records).toBe(3);
    expect((await take(copied, 3, true)).map(({ key }) => key)).toEqual(['a2', 'b1', 'a1']);
    await copied.awaitAllCommitted();
    await copied.close();
  });

  it('gives a copy that has all of many that were done meanwhile', async () => {
    const queue = open();
    const hold = await queue.hold();
    await queue.append(Array.from({ length: 2500 }, () => record('')));
    await take(queue, 2500, true);
    await hold.copyTo(copy);
    await hold.release();
    await queue.close();
    const copied = open(copy);
    expect(copied.depth().records).toBe(2500);
    await take(copied, 2500, true);
    await copied.awaitAllCommitted();
    await copied.close();
  });

  it('delivers nothing twice, held or not, after a crash too', async () => {
    const queue = open();
    await queue.append([inFile('a')]);
    await queue.hold();
    await take(queue, 1, true);
    expect(payloads()).toHaveLength(1);
    // Nobody has released it.
    await queue.close();
    const reopened = open();
    expect(reopened.depth()).toEqual({ records: 0, bytes: 0 });
    expect(payloads()).toEqual([]);
    await reopened.append([record('b')]);
    expect(await texts(reopened, 1)).toEqual(['b']);
    await reopened.close();
  });

  it('holds no more than the queue may hold: the copy fails, and uploads go on', async () => {
    const queue = open();
    const hold = await queue.hold();
    for (let n = 0; n < 3; n += 1) {
      await queue.append([record(`r${n}`, 400)]);
      await take(queue, 1, true);
    }
    await expect(hold.copyTo(copy)).rejects.toThrow(/MILLRACE_QUEUE_MAX_BYTES/);
    await hold.release();
    expect(existsSync(join(copy, 'data.mdb'))).toBe(false);
    await (await queue.hold()).release();
    await queue.close();
  });

  it('wants compressed lines while it is held, because it keeps what is done', async () => {
    const pace = new DiskPace();
    pace.isFast = true;
    const queue = openEmbeddedIngestQueue({ directory, maxBytes: MAX_BYTES, pace });
    const before = queue.plainBytesMax();
    expect(before).toBeGreaterThan(0);
    const hold = await queue.hold();
    expect(queue.plainBytesMax()).toBe(0);
    await hold.release();
    expect(queue.plainBytesMax()).toBe(before);
    await queue.close();
  });

  it('is held once at a time', async () => {
    const queue = open();
    const hold = await queue.hold();
    await expect(queue.hold()).rejects.toThrow(/held already/);
    await hold.release();
    await queue.close();
  });
});
