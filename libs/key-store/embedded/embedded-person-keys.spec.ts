import { randomBytes } from 'node:crypto';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerKey } from '../server-key.js';
import { EmbeddedPersonKeys } from './embedded-person-keys.js';

describe('the keys of people, in files', () => {
  const serverKey = new ServerKey(randomBytes(32));
  let directory: string;
  let keys: EmbeddedPersonKeys;
  beforeEach(() => {
    directory = join(mkdtempSync(join(tmpdir(), 'millrace-keys-')), 'made');
    keys = new EmbeddedPersonKeys(directory, serverKey);
  });
  afterEach(() => rmSync(join(directory, '..'), { recursive: true, force: true }));

  it('are made once, each different, and there again for who opens them later', async () => {
    const ann = await keys.create('ANN');
    expect(ann).toHaveLength(32);
    expect(await keys.create('ANN')).toEqual(ann);
    expect(await keys.create('BEN')).not.toEqual(ann);
    expect(new EmbeddedPersonKeys(directory, serverKey).find('ANN')).toEqual([ann]);
    expect(keys.find('CLEO')).toEqual([]);
  });

  it('are wrapped, and their owner’s only', async () => {
    const ann = Buffer.from(await keys.create('ANN'));
    const stored = readFileSync(join(directory, 'ANN'));
    for (const form of [ann, Buffer.from(ann.toString('base64')), Buffer.from(ann.toString('hex'))])
      expect(stored.includes(form)).toBe(false);
    expect([
      statSync(directory).mode & 0o077,
      statSync(join(directory, 'ANN')).mode & 0o077,
    ]).toEqual([0, 0]);
  });

  it('are of one person: a file put in another place opens nothing', async () => {
    await keys.create('ANN');
    writeFileSync(join(directory, 'BEN'), readFileSync(join(directory, 'ANN')));
    expect(() => keys.find('BEN')).toThrow();
  });

  it('are gone when dropped, also from who has them open; dropping again is nothing', async () => {
    const first = await keys.create('ANN');
    const other = new EmbeddedPersonKeys(directory, serverKey);
    await keys.drop('ANN');
    await keys.drop('ANN');
    expect([keys.find('ANN'), other.find('ANN')]).toEqual([[], []]);
    expect(readdirSync(directory)).toEqual([]);
    expect(await keys.create('ANN')).not.toEqual(first);
  });

  it('that a crash left between dropping and wiping are wiped at the next start', async () => {
    await keys.create('ANN');
    renameSync(join(directory, 'ANN'), join(directory, 'ANN.dropped'));
    expect(new EmbeddedPersonKeys(directory, serverKey).find('ANN')).toEqual([]);
    expect(readdirSync(directory)).toEqual([]);
  });

  it.each(['', 'v1.', 'v1.AAAA', 'nothing'])(
    'that is damaged (%j) is named by its file',
    (text) => {
      const keys = new EmbeddedPersonKeys(directory, serverKey);
      writeFileSync(join(directory, '01A'), text);
      expect(() => keys.find('01A')).toThrow(join(directory, '01A'));
    },
  );

  it.each(['', '../secret-key', 'a/b', 'a.dropped', 'x'.repeat(65)])(
    'have no place for %j',
    (id) => {
      expect(() => keys.create(id)).toThrow(/person id/);
      expect(() => keys.find(id)).toThrow(/person id/);
    },
  );
});
