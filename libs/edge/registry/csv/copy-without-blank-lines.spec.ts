import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { copyWithoutBlankLines } from './copy-without-blank-lines.js';

const LINES = 'a,b\n\n1,x\n';
const COPY = 'a,b\n1,x\n';

describe('a copy of CSV without its blank lines', () => {
  let folder: string;
  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'blank-lines-'))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const copied = async (name: string, bytes: Buffer, room: number): Promise<[Buffer, number]> => {
    const [file, target] = [join(folder, name), join(folder, `copy-of-${name}`)];
    writeFileSync(file, bytes);
    const left = { bytes: room };
    await copyWithoutBlankLines(file, target, ',', left);
    return [readFileSync(target), left.bytes];
  };

  it('takes of the room what it writes', async () => {
    const [plain, left] = await copied('t.csv', Buffer.from(LINES), 100);
    expect([plain.toString(), left]).toEqual([COPY, 100 - COPY.length]);
    const [packed, room] = await copied('t.csv.gz', gzipSync(LINES), 100);
    expect([gunzipSync(packed).toString(), room]).toEqual([COPY, 100 - packed.length]);
  });

  it.each(['t.csv', 't.csv.gz'])('of %s says that there is no room', async (name) => {
    const bytes = Buffer.from(LINES.repeat(10));
    const written = copied(name, name.endsWith('gz') ? gzipSync(bytes) : bytes, 7);
    await expect(written).rejects.toThrow(`${name} has blank lines, and a copy without them takes more than 7 bytes, for which there is no room in the temporary folder`); // prettier-ignore
  });
});
