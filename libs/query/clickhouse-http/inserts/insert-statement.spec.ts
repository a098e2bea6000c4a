import type { RequestOrganization } from '@app/platform';
import { isInsert, readInsert } from './insert-statement.js';

const ORGANIZATION: RequestOrganization = { id: 'o', name: 'acme', database: 'd', share: 'o' };
const read = (text: string) => readInsert(text, ORGANIZATION);

describe('an INSERT', () => {
  it.each([
    ['INSERT INTO logs FORMAT JSONEachRow\n', '{"a":1}', 'logs', 'json', undefined],
    ['insert into acme.logs format NDJSON ', '{"a":1}', 'logs', 'json', undefined],
    ['INSERT INTO TABLE "my.logs" FORMAT CSVWithNames\r\n', ' a,b', 'my.logs', 'csv', undefined],
    ['\n INSERT INTO `acme` . `logs`(a, "b c",`é`)FORMAT CSV\n', '1,2', 'logs', 'csv', ['a', 'b c', 'é']], // prettier-ignore
    ['INSERT INTO logs FORMAT Parquet\n', 'PAR1\n', 'logs', 'parquet', undefined],
    ['INSERT INTO logs (`a`) FORMAT Arrow\n', 'ARROW1', 'logs', 'arrow', undefined],
    ['INSERT INTO logs FORMAT ArrowStream', '', 'logs', 'arrow', undefined],
    ['INSERT INTO logs (a) FORMAT TabSeparated\n', '\t', 'logs', 'csv', ['a']],
    ['INSERT INTO logs (a) FORMAT TSVWithNames\n', 'b\n1', 'logs', 'csv', undefined],
    ['INSERT INTO logs (a) FORMAT JSONCompactEachRow\n', '[1]', 'logs', 'json', ['a']],
  ])('%j', (head, rows, stream, kind, columns) => {
    const length = Buffer.byteLength(head);
    expect(isInsert(head)).toBe(true);
    expect(read(head + rows)).toMatchObject({ stream, kind, columns, length });
  });

  it.each([
    ['INSERT INTO logs VALUES (1)', /takes rows as data/],
    ['INSERT INTO logs (a) VALUES (1)', /takes rows as data/],
    ['INSERT INTO logs SELECT 1', /takes rows as data/],
    ["INSERT INTO FUNCTION file('x') FORMAT CSV", /takes rows as data/],
    ['INSERT INTO logs FORMAT Native\n', /is not read here/],
    ['INSERT INTO logs FORMAT toString\n', /is not read here/],
    ['INSERT INTO logs FORMAT CSV\n1', /say what the columns are/],
    ['INSERT INTO logs FORMAT TSV\n1', /\(a, b\) FORMAT TSV, or .* of TSVWithNames/],
    ['INSERT INTO logs FORMAT JSONCompactEachRow\n[1]', /say what the columns are/],
    ['INSERT INTO logs () FORMAT CSV\n', /write \(a, b\)/],
    ['INSERT INTO logs (a b) FORMAT CSV\n', /write \(a, b\)/],
    ['INSERT INTO logs (* EXCEPT a) FORMAT CSV\n', /write \(a, b\)/],
    ['INSERT INTO other.logs FORMAT NDJSON\n', /there is no database "other" here/],
    ['INSERT INTO', /is not read/],
    ['INSERT INTO "a\\"b" FORMAT CSV', /is not read/],
    ['INSERT INTO "a\ufffd" FORMAT NDJSON', /is not read/],
  ])('is refused: %j', (text, why) => {
    expect(() => read(text)).toThrow(why);
  });

  it.each(['SELECT 1', 'INSERTED', ' -- INSERT INTO', ''])('is none: %j', (text) => {
    expect(isInsert(text)).toBe(false);
  });
});
