import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from './spool.js';

const MIB = 1024 * 1024;
const KEPT_FREE = 10 * MIB;

describe('Spool', () => {
  let folder: string;
  /** The bytes of a disk with nothing else on it. */
  let diskBytes: number;
  let written: number;
  let spool: Spool;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-spool-'));
    diskBytes = 1000 * MIB;
    written = 0;
    spool = new Spool(join(folder, 'spool'), {
      minFreeBytes: KEPT_FREE,
      freeBytes: () => Promise.resolve(diskBytes - written),
      queue: { plainBytesMax: () => 100 * MIB },
    });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** An upload that writes so many mebibytes and stays until it is told to end. */
  function upload(id: string, owner: string, mebibytes: number) {
    let end = (): void => undefined;
    const ending = new Promise<void>((resolve) => (end = resolve));
    let full = (): void => undefined;
    const isWritten = new Promise<void>((resolve) => (full = resolve));
    const ended = spool.use(id, owner, async () => {
      const pieces = async function* (): AsyncIterable<number> {
        for (let n = 0; n < mebibytes; n += 1) yield await Promise.resolve(MIB);
      };
      for await (const bytes of spool.counted(id, pieces(), (each) => each)) written += bytes;
      full();
      await ending;
    });
    ended.catch(() => undefined);
    return { end, ended, settled: Promise.race([ended, isWritten]) };
  }

  it('gives a folder, and takes it away again', async () => {
    const file = await spool.use('a', 'one', async (directory) => {
      const body = async function* (): AsyncIterable<Buffer> {
        yield await Promise.resolve(Buffer.from('text'));
      };
      const path = join(directory, 'body');
      await spool.write('a', path, body());
      expect(readFileSync(path, 'utf8')).toBe('text');
      return path;
    });
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(join(folder, 'spool'))).toEqual([]);
  });

  it('503 for all when the disk is nearly full', async () => {
    diskBytes = KEPT_FREE - 1;
    await expect(upload('a', 'one', 1).settled).rejects.toMatchObject({ kind: 'DISK_FULL' });
  });

  it('lets an owner’s only upload have the whole disk, and no more', async () => {
    const only = upload('a', 'one', 980);
    await only.settled;
    only.end();
    await only.ended;
    written = 0;
    await expect(upload('b', 'one', 1010).settled).rejects.toMatchObject({ kind: 'DISK_FULL' });
  });

  it('leaves room for others when one organization floods it', async () => {
    const flood: ReturnType<typeof upload>[] = [];
    let refused: unknown;
    for (let n = 0; n < 30 && refused === undefined; n += 1) {
      const next = upload(`flood${n}`, 'flood', 40);
      flood.push(next);
      refused = await next.settled.catch((error: unknown) => error);
    }
    expect(refused).toMatchObject({ kind: 'QUEUE_FULL', retryAfterSeconds: 5 });
    expect(flood.length).toBeGreaterThan(10);
    expect(flood.length).toBeLessThan(15);
    const calm = [upload('calm1', 'calm', 100), upload('calm2', 'calm', 100)];
    for (const each of calm) await each.settled;
    for (const each of [...flood, ...calm]) each.end();
    await Promise.allSettled(flood.map(({ ended }) => ended));
    written = 0;
    await upload('later', 'flood', 900).settled;
  });

  it('has some time place for what is larger than half, also of one that sends a little all the time', async () => {
    const little = upload('little', 'one', 9);
    await little.settled;
    await upload('large', 'one', 900).settled;
    await expect(upload('more', 'one', 1).settled).rejects.toMatchObject({ kind: 'QUEUE_FULL' });
  });

  it('leaves batches uncompressed while what is on its way has room on the queue', async () => {
    expect([spool.staysPlain(MIB), spool.staysPlain(MIB - 1)]).toEqual([true, false]);
    const uploads = [upload('a', 'one', 60), upload('b', 'two', 40)];
    for (const { settled } of uploads) await settled;
    expect(spool.staysPlain(MIB)).toBe(true);
    const more = upload('c', 'two', 1);
    await more.settled;
    expect(spool.staysPlain(MIB)).toBe(false);
    for (const each of [...uploads, more]) each.end();
    await Promise.all([...uploads, more].map(({ ended }) => ended));
    expect(spool.staysPlain(MIB)).toBe(true);
    const slow = new Spool(join(folder, 'other'), { minFreeBytes: 0 });
    expect(slow.staysPlain(MIB)).toBe(false);
  });
});
