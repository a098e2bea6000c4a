import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { edgeInFolder } from '../../server/edge-in-folder.js';

const FIXTURES = join(import.meta.dirname, '../../fixtures/arrow');
const formatOf = (name: string): string => (name.endsWith('s') ? 'arrows' : 'arrow');

describe('Arrow files of this machine that an upload refuses', () => {
  const own = edgeInFolder('edge-arrow-');
  const { folder } = own;

  const register = (uri: string) => own.edge.post('/api/table', [{ tableName: 't', uri }]);
  const rows = async (): Promise<unknown> => (await own.edge.sql('SELECT * FROM t')).json();
  /** Another file in its place, in one step. */
  const put = (name: string, target: string): void => {
    copyFileSync(join(FIXTURES, name), join(folder, 'next'));
    renameSync(join(folder, 'next'), join(folder, target));
  };

  it.each([
    ['refused-interval.arrow', 'column \\"x\\" is of type Interval'],
    ['refused-union.arrow', 'column \\"x\\" is of type Union'],
    ['refused-runs.arrow', 'column \\"x\\" is of type RunEndEncoded'],
    ['refused-view.arrow', 'column \\"x\\" is of type ListView'],
    ['refused-null-pair.arrow', 'column \\"x\\" has nulls among lists of a fixed length'],
    ['refused-hidden.arrow', 'column \\"x\\" has a list that is null and not empty'],
    ['refused-hidden.arrows', 'column \\"x\\" has a list that is null and not empty'],
    ['refused-hidden-zstd.arrow', 'column \\"x\\" has a list that is null and not empty'],
    ['refused-twice.arrow', 'it has two columns \\"x\\"'],
    ['refused-compression.arrow', "compressed by pyarrow 0.17's own way"],
    ['refused-digits.arrow', 'column \\"x\\" has a decimal of more than the 4 digits'],
  ])('%s is refused: %s', async (name, reason) => {
    const before = readFileSync(join(FIXTURES, name));
    for (const more of ['', ',materialize=false', ',materialize=true']) {
      const uri = `${join(FIXTURES, name)},format=${formatOf(name)}${more}`;
      const { status, text } = await register(uri);
      expect([status, text]).toEqual([400, expect.stringContaining(reason)]);
      expect(text).toContain(`${name} is no readable file or stream of Arrow`);
    }
    expect(readFileSync(join(FIXTURES, name)).equals(before)).toBe(true);
  });

  it.each([
    ['in a folder', 'many', 'many,format=arrow'],
    ['by a glob', 'many', 'many/*.arrow,format=arrow'],
    ['packed as a whole', '', 'packed.arrow.gz'],
  ])('are so %s', async (_, within, uri) => {
    mkdirSync(join(folder, 'many'), { recursive: true });
    const bytes = readFileSync(join(FIXTURES, 'refused-hidden.arrow'));
    const good = readFileSync(join(FIXTURES, 'polars.arrow'));
    const packed = join(folder, 'packed.arrow.gz');
    writeFileSync(within === '' ? packed : join(folder, within, 'bad.arrow'), within === '' ? gzipSync(bytes) : bytes); // prettier-ignore
    const { status, text } = await register(uri);
    expect([status, text]).toEqual([400, expect.stringContaining('not empty')]);
    rmSync(join(folder, 'many/bad.arrow'), { force: true });
    if (within === '') writeFileSync(packed, gzipSync(good));
    else writeFileSync(join(folder, within, 'good.arrow'), good);
    expect((await register(uri)).status).toBe(200);
    expect(await rows()).toHaveLength(3);
  });

  it('a file that takes the place of another is looked at before it is read', async () => {
    put('polars.arrow', 'changes.arrow');
    expect((await register('changes.arrow,materialize=false')).status).toBe(200);
    expect(await rows()).toHaveLength(3);
    for (const name of ['refused-digits.arrow', 'refused-hidden.arrow']) {
      put(name, 'changes.arrow');
      const { status, text } = await own.edge.sql('SELECT count() FROM t');
      expect([status, text]).toEqual([
        503,
        expect.stringContaining('table \\"t\\" cannot be read: changes.arrow is no readable file'),
      ]);
      expect(text).not.toContain(folder);
    }
    put('polars.arrow', 'changes.arrow');
    expect(await rows()).toHaveLength(3);
  });

  it('a new file of a glob is looked at before it is read', async () => {
    put('polars.arrow', 'later-1.arrow');
    expect((await register('later-*.arrow,format=arrow')).status).toBe(200);
    expect(await rows()).toHaveLength(3);
    put('refused-hidden.arrow', 'later-2.arrow');
    const { status, text } = await own.edge.sql('SELECT * FROM t');
    expect([status, text]).toEqual([503, expect.stringContaining('later-2.arrow is no readable')]);
    rmSync(join(folder, 'later-2.arrow'));
    expect(await rows()).toHaveLength(3);
  });

  it.each(['dictionary-grows.arrow', 'exact.arrow', 'typed-lz4.arrows', 'typed-zstd.arrows'])(
    '%s is taken',
    async (name) => {
      const uri = `${join(FIXTURES, name)},format=${formatOf(name)},materialize=false`;
      expect((await register(uri)).status).toBe(200);
      expect((await own.edge.sql('SELECT * FROM t')).status).toBe(200);
    },
  );
});
