import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkJsonDepth, OBJECT_LEVELS_MAX } from './json-depth.js';

const objects = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
const lists = (levels: number): string => '['.repeat(levels) + '1' + ']'.repeat(levels);

describe('depth of JSON', () => {
  const folder = mkdtempSync(join(tmpdir(), 'json-depth-'));
  const file = join(folder, 'a.json');
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });
  const look = (text: string): Promise<void> => {
    writeFileSync(file, text);
    return checkJsonDepth(file);
  };

  it.each([
    ['as many levels of objects as there may be', `${objects(OBJECT_LEVELS_MAX)}\n`.repeat(3)],
    ['objects beside each other', `{"a":[${Array(100).fill('{"b":{}}').join()}]}`],
    ['many lists', `{"a":${lists(100)}}`],
    ['brackets in texts', JSON.stringify({ a: `"\\"${'{"['.repeat(200)}`, b: '\\' })],
    ['what closes more than is open', `${'}'.repeat(200)}${objects(3)}`],
  ])('takes %s', async (_, text) => {
    await expect(look(text)).resolves.toBeUndefined();
  });

  it.each([
    ['objects', `{"a":1}\n${objects(OBJECT_LEVELS_MAX + 1)}`, 'line 2 has objects'],
    ['objects within lists', '{"a":['.repeat(OBJECT_LEVELS_MAX + 1), 'line 1 has objects'],
    ['lists', `\n\n{"a":${lists(101)}}`, 'line 3 has lists'],
    ['objects behind a text with quotes', `{"t":"\\"{\\\\","a":${objects(16)}}`, 'more than 16'],
  ])('refuses %s', async (_, text, reason) => {
    await expect(look(text)).rejects.toThrow(reason);
  });

  it('takes an escape at the end of a piece for one', async () => {
    for (let length = 1024 ** 2 - 12; length < 1024 ** 2 - 3; length += 1)
      await look(`{"t":"${'x'.repeat(length)}\\"${'{'.repeat(20)}"}`);
  });

  it('looks at as many bytes as it is told', async () => {
    await look(`${'1\n'.repeat(500)}${objects(OBJECT_LEVELS_MAX)}`);
    writeFileSync(file, `${'1\n'.repeat(500)}${objects(OBJECT_LEVELS_MAX + 1)}`);
    await expect(checkJsonDepth(file, 1000)).resolves.toBeUndefined();
    await expect(checkJsonDepth(file)).rejects.toThrow('line 501 has objects');
  });

  it('goes on from one piece of the file to the next', async () => {
    const text = `{"t":"${'{'.repeat(1024 ** 2)}","a":${objects(OBJECT_LEVELS_MAX)}}`;
    await expect(look(text)).rejects.toThrow('line 1 has objects');
  });
});
