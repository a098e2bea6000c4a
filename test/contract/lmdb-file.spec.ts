import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open } from 'lmdb';
import { checkLmdbFile } from '@app/files';
import { rounds } from '../rounds.js';

/** Stores of every shape that ours have: several databases, deep trees, large values, freed pages. */
describe('the file of an lmdb store', () => {
  let directory: string;
  let file: string;
  let whole: Buffer;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'lmdb-file-'));
    file = join(directory, 'data.mdb');
    const store = open({ path: directory, maxDbs: 4, overlappingSync: false });
    const events = store.openDB<object, number>({ name: 'events', encoding: 'json' });
    const records = store.openDB<Uint8Array, number>({ name: 'records', encoding: 'msgpack' });
    const names = store.openDB<number, string>({ name: 'names', encoding: 'ordered-binary' });
    for (let n = 0; n < 3000; n += 1) {
      void events.put(n, { n, text: 'x'.repeat(n % 700) });
      void names.put(`name ${n} ${'y'.repeat(n % 90)}`, n);
      if (n % 50 === 0) void records.put(n, new Uint8Array(20_000 + n));
    }
    await store.flushed;
    for (let n = 0; n < 1500; n += 1) void records.remove(n);
    await store.flushed;
    for (let n = 0; n < 100; n += 1) await events.put(n, { again: n });
    await store.close();
    whole = readFileSync(file);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  beforeEach(() => writeFileSync(file, whole));

  it('is sound when it is whole, also while another transaction was being written', () => {
    checkLmdbFile(file);
    writeFileSync(file, Buffer.concat([whole, Buffer.alloc(8192)]));
    checkLmdbFile(file);
  });

  it('is as if new when it is not there, or empty', () => {
    truncateSync(file, 0);
    checkLmdbFile(file);
    rmSync(file);
    checkLmdbFile(file);
  });

  it.each([1, 100, 4096, 8192, 40_960, 0.3, 0.6, 0.9])(
    'that is cut off after %d is refused by its name',
    (length) => {
      truncateSync(file, length < 1 ? Math.floor(whole.length * length) : length);
      expect(() => checkLmdbFile(file)).toThrow(`${file} is damaged: `);
    },
  );

  it('that the system does not read is refused by its name', () => {
    const folder = join(directory, 'folder.mdb');
    mkdirSync(folder);
    // On some file systems an empty folder is too short for a store's first page.
    for (let n = 0; n < 500; n += 1) mkdirSync(join(folder, String(n)));
    expect(() => checkLmdbFile(folder)).toThrow(`${folder} cannot be read: EISDIR`);
  });

  it('with any bytes changed is either sound or refused, and never takes long', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 200 }),
        (changes) => {
          const changed = Buffer.from(whole);
          for (const [at, value] of changes) changed[at] = value;
          writeFileSync(file, changed);
          try {
            checkLmdbFile(file);
          } catch (error) {
            expect(String(error)).toContain('is damaged: ');
          }
        },
      ),
      { numRuns: rounds(20, 200) },
    );
  });
});
