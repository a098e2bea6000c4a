import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDefinition, type PlacedDefinition } from './table-definitions.js';
import { TableNumbers } from './table-numbers.js';

const OWN = 'aaaaaaaa-0000-4000-8000-00000000000a';
const OTHER = 'bbbbbbbb-0000-4000-8000-00000000000b';

describe('the numbers of tables', () => {
  let store: string;
  const numbers = (): TableNumbers => new TableNumbers(store, join(store, 'table-numbers.json'));
  const rows = (uuid: string): void => {
    mkdirSync(join(store, 'store', uuid.slice(0, 3), uuid, 'all_1_1_0'), { recursive: true });
  };
  const definition = (uuid: string | undefined, table = 'logs', comment = 'S1') => {
    const number = uuid === undefined ? '' : ` UUID '${uuid}'`;
    const text = `ATTACH TABLE _${number}\n(\n    \`n\` Int64\n)\nENGINE = MergeTree\nORDER BY n\nSETTINGS index_granularity = 8192\nCOMMENT '${comment}'`;
    const place = join(store, `${table}.sql`);
    writeFileSync(place, text);
    return { database: 'o_one', table, place, text };
  };
  const mended = (changed: PlacedDefinition, ...others: PlacedDefinition[]) => {
    numbers().mend([changed, ...others], []);
    return readDefinition(readFileSync(changed.place, 'utf8')).uuid;
  };

  beforeEach(() => {
    store = mkdtempSync(join(tmpdir(), 'millrace-numbers-'));
    rows(OWN);
    numbers().keep([definition(OWN)], new Set());
  });
  afterEach(() => rmSync(store, { recursive: true, force: true }));

  it.each([
    ['has another one', OTHER],
    ['has none', undefined],
  ])('come back to a definition that %s', (_, uuid) => {
    expect(mended(definition(uuid))).toBe(OWN);
  });

  it('come back to one that has that of another table', () => {
    rows(OTHER);
    expect(mended(definition(OTHER), definition(OTHER, 'others'))).toBe(OWN);
  });

  it('come back after a start without the table, and without a file that can be read', () => {
    numbers().keep([], new Set(['o_one.logs']));
    expect(mended(definition(OTHER))).toBe(OWN);
    for (const damaged of ['no JSON', '{"o_one.logs":{"uuie":"a"}}', '{"o_one.logs":null}', '[]']) {
      writeFileSync(join(store, 'table-numbers.json'), damaged);
      expect(mended(definition(OTHER))).toBe(OTHER);
    }
  });

  it('stay away where somebody has put rows by the new one', () => {
    rows(OTHER);
    expect(mended(definition(OTHER))).toBe(OTHER);
  });

  it('stay away from a later stream of that name', () => {
    expect(mended(definition(OTHER, 'logs', 'S2'))).toBe(OTHER);
  });

  it('stay away where their rows are gone, another table has them, or they are being dropped', () => {
    expect(mended(definition(OTHER), definition(OWN, 'others'))).toBe(OTHER);
    mkdirSync(join(store, 'metadata_dropped'));
    writeFileSync(join(store, 'metadata_dropped', `o_one.logs.${OWN}.sql`), '');
    expect(mended(definition(OTHER))).toBe(OTHER);
    rmSync(join(store, 'metadata_dropped'), { recursive: true });
    rmSync(join(store, 'store'), { recursive: true });
    expect(mended(definition(OTHER))).toBe(OTHER);
  });

  it('are forgotten with their tables', () => {
    numbers().keep([], new Set());
    expect(mended(definition(OTHER))).toBe(OTHER);
  });
});
