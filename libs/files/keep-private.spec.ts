import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepPrivate } from './keep-private.js';

describe('keepPrivate', () => {
  let folder: string;
  let directory: string;
  let told: string[];
  const logger = { warn: (_: object, text: string) => void told.push(text) };
  const before = process.umask();
  const mode = (...path: string[]): number => statSync(join(directory, ...path)).mode & 0o777;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'millrace-private-'));
    directory = join(folder, 'data');
    told = [];
  });
  afterEach(() => {
    process.umask(before);
    rmSync(folder, { recursive: true, force: true });
  });

  /** Makes a directory as a program left it that did not look at modes. */
  const fill = (directoryMode: number, fileMode: number): void => {
    process.umask(0);
    for (const path of ['events', 'queue/payloads', 'person-keys', 'warehouse/store'])
      mkdirSync(join(directory, path), { recursive: true, mode: directoryMode });
    for (const path of [
      'secret-key',
      'root-credentials',
      'events/data.mdb',
      'queue/payloads/1',
      'person-keys/a',
      'warehouse/store/part',
    ])
      writeFileSync(join(directory, path), 'x', { mode: fileMode });
    chmodSync(directory, directoryMode);
  };

  it('makes it for its owner only, and everything that is made later', () => {
    keepPrivate(join(directory, 'deeper'), logger);
    writeFileSync(join(directory, 'deeper', 'file'), 'x');
    expect([mode(), mode('deeper'), mode('deeper', 'file')]).toEqual([0o700, 0o700, 0o600]);
    expect(told).toEqual([]);
  });

  it('closes all of one that others can read, and tells so once', () => {
    fill(0o755, 0o644);
    keepPrivate(directory, logger);
    const open = readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter(
      (path) => (mode(path) & 0o077) !== 0,
    );
    expect([open, mode(), mode('secret-key'), mode('warehouse', 'store', 'part')]).toEqual([
      [],
      0o700,
      0o600,
      0o600,
    ]);
    expect(told).toHaveLength(1);
    keepPrivate(directory, logger);
    expect(told).toHaveLength(1);
  });

  it('closes a secret in one that is closed itself', () => {
    fill(0o700, 0o600);
    chmodSync(join(directory, 'events', 'data.mdb'), 0o640);
    keepPrivate(directory, logger);
    expect([mode('events', 'data.mdb'), told.length]).toEqual([0o600, 1]);
  });

  it('follows no links', () => {
    fill(0o700, 0o600);
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'x');
    chmodSync(elsewhere, 0o644);
    symlinkSync(elsewhere, join(directory, 'link'));
    keepPrivate(directory, logger);
    expect(statSync(elsewhere).mode & 0o777).toBe(0o644);
  });
});
