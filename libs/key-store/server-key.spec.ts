import { randomBytes } from 'node:crypto';
import {
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedPersonKeys } from './embedded/index.js';
import {
  dropNextSecret,
  nextSecret,
  openServerKey,
  ServerKey,
  takeNextSecret,
} from './server-key.js';

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

describe('a server’s key that was changed twice', () => {
  const [first, second, third] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ];
  const key = new ServerKey(third);
  key.knowFormer([
    { secret: first, until: 10n },
    { secret: second, until: 20n },
  ]);

  it('opens what each has sealed, and seals so that only the newest opens it', () => {
    for (const secret of [first, second, third])
      expect(key.unseal('p', new ServerKey(secret).seal('p', 'text', 'b'), 'b')).toBe('text');
    const sealed = key.seal('p', 'text', 'b');
    expect(new ServerKey(third).unseal('p', sealed, 'b')).toBe('text');
    for (const former of [first, second])
      expect(() => new ServerKey(former).unseal('p', sealed, 'b')).toThrow();
    expect(() =>
      key.unseal('p', new ServerKey(Buffer.alloc(32, 4)).seal('p', '', 'b'), 'b'),
    ).toThrow();
  });

  it('takes nothing of a former one for its own', () => {
    const sealed = new ServerKey(second).seal('p', 'text', 'b');
    expect(() => key.unsealOwn('p', sealed, 'b')).toThrow();
  });

  it('finds what the first has fingerprinted, and knows which was in force when', () => {
    const own = new ServerKey(first).fingerprint('p', 'x');
    expect(key.lastingFingerprint('p', 'x')).toBe(own);
    expect(key.fingerprint('p', 'x')).not.toBe(own);
    const inForce = [9n, 10n, 19n, 20n, 99n].map((at) => key.deriveAt('p', at));
    const of = (secret: Uint8Array) => new ServerKey(secret).derive('p');
    expect(inForce).toEqual([of(first), of(second), of(second), of(third), of(third)]);
  });
});

describe('the key that follows', () => {
  it('is made once, takes the place of the one before, and nothing of that one stays in the file', () => {
    openServerKey(directory, undefined, true);
    const file = join(directory, 'secret-key');
    const old = readFileSync(file);
    linkSync(file, join(directory, 'other-name'));
    const { next, isNew } = nextSecret(directory, undefined);
    expect(isNew).toBe(true);
    expect(nextSecret(directory, undefined)).toEqual({ next, isNew: false });
    takeNextSecret(directory);
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toEqual(Buffer.from(next));
    expect(readFileSync(join(directory, 'other-name'))).not.toEqual(old);
    expect(readdirSync(directory).sort()).toEqual(['other-name', 'secret-key']);
  });
});

describe('the key that follows, of a change that was broken off', () => {
  it('is not written over by another one: it may be in force already', () => {
    const { next } = nextSecret(directory, undefined);
    expect(() => nextSecret(directory, randomBytes(32))).toThrow(/broken off.*without/);
    expect(nextSecret(directory, undefined)).toEqual({ next, isNew: false });
    expect(nextSecret(directory, next)).toEqual({ next, isNew: false });
    dropNextSecret(directory);
    dropNextSecret(directory);
    expect(readdirSync(directory)).toEqual([]);
  });
});

describe('a person’s key', () => {
  it('is wrapped anew with a key that has changed, and the one before opens it no more', async () => {
    const [old, next] = [new Uint8Array(randomBytes(32)), new ServerKey(randomBytes(32))];
    const key = await new EmbeddedPersonKeys(directory, new ServerKey(old)).create('01A');
    linkSync(join(directory, '01A'), join(directory, 'other.name'));
    next.knowFormer([{ secret: old, until: 1n }]);
    const keys = new EmbeddedPersonKeys(directory, next);
    expect([await keys.rewrap(), await keys.rewrap()]).toEqual([1, 1]);
    expect(keys.find('01A')).toEqual([key]);
    const former = new EmbeddedPersonKeys(directory, new ServerKey(old));
    expect(() => former.find('01A')).toThrow(/wrapped with another secret key/);
    // The disk no longer has the key's bytes at the old place.
    expect(() =>
      new ServerKey(old).unseal(
        'person-key',
        readFileSync(join(directory, 'other.name'), 'latin1'),
        '01A',
      ),
    ).toThrow();
  });

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
