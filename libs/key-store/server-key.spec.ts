import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPersonKeys } from './embedded/index.js';
import { openServerKey, ServerKey } from './server-key.js';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-keys-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('the server’s key', () => {
  it('is made once, for its owner only', () => {
    const first = openServerKey(directory, undefined, true);
    const second = openServerKey(directory, undefined, false);
    expect(second.fingerprint('a', 'x')).toBe(first.fingerprint('a', 'x'));
    expect(second.fingerprint('b', 'x')).not.toBe(first.fingerprint('a', 'x'));
    expect(statSync(join(directory, 'secret-key')).mode & 0o777).toBe(0o600);
  });

  it('is not made anew where one is needed that was there', () => {
    expect(() => openServerKey(directory, undefined, false)).toThrow(/set MILLRACE_SECRET_KEY/);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(['', 'c2hvcnQ=', 'not base64 at all'])('that its file holds as %j is named', (text) => {
    writeFileSync(join(directory, 'secret-key'), text);
    expect(() => openServerKey(directory, undefined, true)).toThrow(/secret-key holds no key/);
  });
});

describe('a person’s key', () => {
  it('is made once, wrapped, and gone when it is dropped', async () => {
    const serverKey = new ServerKey(randomBytes(32));
    const keys = new EmbeddedPersonKeys(directory, serverKey);
    const key = await keys.create('01A');
    expect(key).toHaveLength(32);
    expect(Buffer.from(await keys.create('01A'))).toEqual(Buffer.from(key));
    const again = new EmbeddedPersonKeys(directory, serverKey);
    expect(Buffer.from(again.find('01A')[0] ?? [])).toEqual(Buffer.from(key));
    const stored = readFileSync(join(directory, '01A'), 'utf8');
    expect(stored).not.toContain(Buffer.from(key).toString('base64').slice(0, 12));
    await keys.drop('01A');
    await keys.drop('01A');
    expect([keys.find('01A'), readdirSync(directory)]).toEqual([[], []]);
  });

  it('of nobody is not there, and a name that is a path is refused', () => {
    const keys = new EmbeddedPersonKeys(directory, new ServerKey(randomBytes(32)));
    expect(keys.find('01B')).toEqual([]);
    expect(() => keys.create('../x')).toThrow(/letters and digits/);
  });
});
