import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { edgeInFolder } from '../../server/edge-in-folder.js';

const CSV = Buffer.from('a,b\n1,2\n');
/** Each line has as many brackets that open as that close, of which one is within a text. */
const BENT = `${'{"a":"}","b":\n'.repeat(50)}1\n${',"c":"{"}\n'.repeat(50)}`;
/** More columns than are made texts. */
const MANY_KINDS = ['{"a":1}', '5']
  .map((value) => `{${Array.from({ length: 21 }, (_, n) => `"n${n}":${value}`).join()}}\n`)
  .join('');
/** Lists of several depths, as TopoJSON has them in its arcs. */
const ARCS = '[{"o":{"p":[{"a":[[1]]},{"a":[[[]]]}],"q":[{"a":[[[]]]},{"a":[[1]]}]}}]';
const DEEP = Buffer.from('{"a":1}\n' + '{"a":'.repeat(50) + '1' + '}'.repeat(50));
const json = (text: string): Buffer => Buffer.from(text);

describe('a file that cannot be served says what to do', () => {
  const own = edgeInFolder('edge-clear-');

  it.each([
    ['utf16.csv', Buffer.from('\ufeffa,b\n1,2\n', 'utf16le'), 'it is UTF-16: write it as UTF-8'],
    ['latin.csv', Buffer.from('a\nB\u00e4r\n', 'latin1'), 'it is not written as UTF-8'],
    ['packed.csv', gzipSync(CSV), 'give its name the ending .gz'],
    ['t.csv.bz2', Buffer.from('BZh91AY&SY'), 'gzip, zstd, xz, lz4 and Brotli are'],
    ['cut.csv.gz', gzipSync(CSV).subarray(0, -6), 'the file was cut off'],
    ['behind.csv.gz', Buffer.concat([gzipSync(CSV), Buffer.from('junk')]), 'bytes stand behind'],
    ['long.json', json('[{"n":"a"},{"n":123456789012345678901}]'), 'more digits than the 20'],
    ['twice.ndjson', json('{"a":1,"a":2}\n'), 'has the field "a" twice'],
    ['empty-key.ndjson', json('{"o":{"":1}}\n'), 'a field without a name'],
    ['mixed.json', json('[{"l":[{"d":"x"},{"e":1,"d":1.5}]}]'), 'column "l" has within its lists'],
    ['arcs.json', json(ARCS), 'column "o" has within its lists or objects values of kinds'],
    ['kinds.ndjson', MANY_KINDS, 'column "n20" has values of kinds'],
    [
      'deep.ndjson',
      DEEP,
      'deep.ndjson cannot be read: line 2 has objects within each other in more than 16',
    ],
    ['deep.json.gz', gzipSync(DEEP), 'deep.json.gz cannot be read: line 2 has objects'],
    ['bent.json.gz', gzipSync(BENT), 'bent.json.gz cannot be read: line 17 has objects'],
  ])('%s', async (name, bytes, reason) => {
    writeFileSync(join(own.folder, name), bytes);
    const { status, text } = await own.edge.post('/api/table', [{ tableName: 't', uri: name }]);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      { code: 400, message: expect.stringContaining(reason) as string },
    ]);
  });

  it('files of a folder whose column has types that do not go together', async () => {
    mkdirSync(join(own.folder, 'kinds'));
    writeFileSync(join(own.folder, 'kinds/1.csv'), 'a\n1\n');
    writeFileSync(join(own.folder, 'kinds/2.csv'), 'a\nx\n');
    const uri = 'kinds,format=csv';
    const { status, text } = await own.edge.post('/api/table', [{ tableName: 't', uri }]);
    expect([status, text]).toEqual([400, expect.stringContaining('column \\"a\\" is ')]);
  });
});
