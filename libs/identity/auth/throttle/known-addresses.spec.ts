import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerKey } from '@app/key-store';
import { KnownAddresses } from './known-addresses.js';

const DAY_MS = 24 * 60 * 60 * 1000;

describe('KnownAddresses', () => {
  let directory: string;
  let file: string;
  let now: number;
  const serverKey = new ServerKey(randomBytes(32));
  const open = (key = serverKey, exists = (_id: string): boolean => true): KnownAddresses =>
    new KnownAddresses(key, file, exists, () => now);

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-known-'));
    file = join(directory, 'known-addresses');
    now = Date.now();
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('knows of each account where it logged in from, for thirty days', () => {
    const known = open();
    known.remember('ann', '192.0.2.1');
    expect(known.has('ann', '192.0.2.1')).toBe(true);
    expect(known.has('ann', '192.0.2.2')).toBe(false);
    expect(known.has('ben', '192.0.2.1')).toBe(false);
    expect(known.has(undefined, '192.0.2.1')).toBe(false);
    now += 20 * DAY_MS;
    known.remember('ann', '192.0.2.1');
    now += 20 * DAY_MS;
    expect(known.has('ann', '192.0.2.1')).toBe(true);
    now += 10 * DAY_MS;
    expect(known.has('ann', '192.0.2.1')).toBe(false);
  });

  it('knows them after a restart, from a file that names no address and nobody who is gone', async () => {
    const known = open(serverKey, (id) => id !== 'gone');
    for (const account of ['ann', 'gone']) known.remember(account, '192.0.2.1');
    await known.onApplicationShutdown();
    expect(readFileSync(file, 'utf8')).not.toMatch(/192\.|gone/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(open().has('ann', '192.0.2.1')).toBe(true);
    expect(open().has('gone', '192.0.2.1')).toBe(false);
    expect(open(new ServerKey(randomBytes(32))).has('ann', '192.0.2.1')).toBe(false);
  });

  it('starts with nothing when the file is damaged', () => {
    for (const text of ['', '{', '[]', '{"ann":{"x":"y"}}']) {
      writeFileSync(file, text);
      expect(open().has('ann', '192.0.2.1')).toBe(false);
    }
  });

  it('keeps so many of an account, and so many in all', async () => {
    const known = open();
    for (let n = 0; n < 100; n += 1) known.remember('ann', `prefix ${n}`);
    expect([known.has('ann', 'prefix 67'), known.has('ann', 'prefix 68')]).toEqual([false, true]);
    for (let account = 0; account < 2000; account += 1)
      for (let n = 0; n < 32; n += 1) known.remember(`account ${account}`, `prefix ${n}`);
    expect(known.has('ann', 'prefix 99')).toBe(false);
    expect(known.has('account 1999', 'prefix 31')).toBe(true);
    await known.onApplicationShutdown();
    const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, object>;
    const count = Object.values(kept).reduce((all, each) => all + Object.keys(each).length, 0);
    expect(count).toBeLessThanOrEqual(50_000);
    expect(count).toBeGreaterThan(49_000);
  });
});
