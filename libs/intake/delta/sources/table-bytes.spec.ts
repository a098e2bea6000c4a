import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import {
  KEYS,
  REGION,
  startS3Double,
  type S3Double,
} from '../../../../test/doubles/s3/s3-double.js';
import { Spool, type SpoolRoom } from '../../spool/spool.js';
import { S3Folder } from './s3-folder.js';
import { unpackArchive } from './unpack-archive.js';

const MIB = 1024 * 1024;
const FILE_MIB = 7;
const MANY_MIB = 1000;
const NAMES = ['one', 'two', 'three'];

/** Counts the bytes of tables that one or several uploads put on the disk. */
describe('files of tables on their way', () => {
  let folder: string;
  let spool: Spool;
  /** The room of a disk that holds nothing else and keeps ten mebibytes free. */
  let freeMib: number;
  let archive: string;
  let storage: S3Double;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-table-bytes-'));
    freeMib = MANY_MIB;
    spool = new Spool(join(folder, 'spool'), {
      minFreeBytes: 10 * MIB,
      freeBytes: () => Promise.resolve(freeMib * MIB),
    });
    const tar = pack();
    const content = Buffer.alloc(FILE_MIB * MIB);
    for (const name of NAMES) tar.entry({ name }, content);
    tar.finalize();
    archive = join(folder, 'archive');
    writeFileSync(archive, gzipSync(await buffer(tar), { level: 1 }));
    storage = await startS3Double(new Map(NAMES.map((name) => [`bucket/table/${name}`, content])));
  });
  afterEach(async () => {
    await storage.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const options = (directory: string, room: SpoolRoom) => ({
    directory,
    room,
    maxBytes: MANY_MIB * MIB,
  });
  const unpack = (directory: string, room: SpoolRoom): Promise<unknown> =>
    unpackArchive(archive, options(directory, room));
  const s3 = (directory: string, room: SpoolRoom): S3Folder => {
    const { endpoint } = storage;
    const access = { ...KEYS, region: REGION, sessionToken: undefined, endpoint };
    return new S3Folder(access, { bucket: 'bucket', prefix: 'table' }, options(directory, room));
  };
  const fetchAll = async (directory: string, room: SpoolRoom): Promise<void> => {
    const table = s3(directory, room);
    for (const name of NAMES) await table.fetch(name);
  };
  const within = (
    id: string,
    owner: string,
    work: (directory: string, room: SpoolRoom) => Promise<unknown>,
  ): Promise<unknown> => spool.use(id, owner, (directory) => work(directory, spool.room(id)));

  it.each([
    ['unpacked', unpack],
    ['fetched', fetchAll],
  ])('are not %s onto a disk that gets full', async (_, bring) => {
    await within('a', 'one', bring);
    freeMib = 10 + FILE_MIB;
    const filling = within('b', 'one', (directory, room) => {
      freeMib = 9;
      return bring(directory, room);
    });
    await expect(filling).rejects.toMatchObject({ kind: 'DISK_FULL', retryAfterSeconds: 30 });
  });

  it.each([
    ['unpacked', unpack],
    ['fetched', fetchAll],
  ])('count, being %s, in what their organization has of the disk', async (_, bring) => {
    freeMib = 10 + 2.5 * FILE_MIB;
    await within('first', 'one', async (directory, room) => {
      await bring(directory, room);
      const second = within('second', 'one', bring);
      await expect(second).rejects.toMatchObject({ kind: 'QUEUE_FULL', retryAfterSeconds: 5 });
      await within('other', 'another', bring);
    });
    await within('later', 'one', bring);
  });

  it('count no longer when they are released', async () => {
    freeMib = 10 + 2.5 * FILE_MIB;
    await within('first', 'one', async (directory, room) => {
      const table = s3(directory, room);
      for (let n = 0; n < 10; n += 1) await (await table.fetch('one'))?.release();
      await within('second', 'one', fetchAll);
    });
  });
});
