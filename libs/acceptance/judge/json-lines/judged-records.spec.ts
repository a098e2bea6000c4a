import { fits } from '@app/streams';
import { ChunkMemory } from '../chunk/chunk-memory.js';
import type { JudgeJob } from '../chunk/judge-job.js';
import { LinesJudge } from './judge-lines.js';
import { KIND_NAMES } from '../values/kinds.js';

const ACCEPTED_AT = 1_767_225_600_000_000;
const column = (name: string, type = 'Nullable(Int64)'): JudgeJob['columns'][number] => ({
  name,
  type,
  fits: KIND_NAMES.reduce((mask, kind, at) => mask | (fits(type, kind) ? 1 << at : 0), 0),
});
const columns = (count: number): JudgeJob['columns'] =>
  Array.from({ length: count }, (_, index) => column(`c${index}`));

function judge(lines: readonly (string | Buffer)[], job: Partial<JudgeJob> = {}) {
  const bytes = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  const whole = {
    source: '',
    firstLine: 1,
    columns: [],
    exact: [],
    objects: [],
    refusedFields: new Map(),
    fieldsMax: 2000,
    acceptedAt: ACCEPTED_AT,
    keptFrom: undefined,
    uploadId: 'u',
    stream: 's',
    ...job,
  };
  const judged = new LinesJudge(bytes, whole, 'microseconds', new ChunkMemory());
  const written = Buffer.concat(judged.judge()).toString();
  const { lines: numbers, reasonOf, reasons } = judged.refused;
  const refused = Array.from(numbers, (line, at) => `${line}: ${reasons[reasonOf[at] ?? -1]}`);
  const { accepted, isNew } = judged;
  return { written, refused, accepted, isNew, survey: judged.surveyed() };
}

const UNKNOWN = 'int64 cannot become a column';
const twice = (name: string): string => `field "${name}": appears twice`;

describe('columns of what was written', () => {
  const verbatim = (of: 'scalars' | 'arrays') => [
    { ...column('v', 'Nullable(String)'), verbatim: of },
  ];

  it.each([
    ['1', '"1"'],
    ['1.50', '"1.50"'],
    ['-0', '"-0"'],
    ['1e3', '"1e3"'],
    ['9007199254740993', '"9007199254740993"'],
    ['18446744073709551615', '"18446744073709551615"'],
    ['true', '"true"'],
    ['"x\\n\\u00e9"', '"x\\n\\u00e9"'],
    ['null', 'null'],
  ])('have the single value %s as %s', (value, written) => {
    const judged = judge([`{"v":${value},"a":null}`], { columns: verbatim('scalars') });
    expect(judged.written).toBe(`{"v":${written},"a":null}\n`);
  });

  it.each([
    ['[1,{}]', '"[1,{}]"'],
    ['[ "a\\"é\\\\",\t{"":1} ]', '"[ \\"a\\\\\\"é\\\\\\\\\\",\\t{\\"\\":1} ]"'],
    ['[]', '"[]"'],
    ['[null]', '"[null]"'],
    ['null', 'null'],
  ])('have the array %s as %s', (value, written) => {
    const judged = judge([`{"v":${value},"a":null}`], { columns: verbatim('arrays') });
    expect(judged.written).toBe(`{"v":${written},"a":null}\n`);
    const line = JSON.parse(judged.written) as { v: string | null };
    if (line.v !== null) expect(line.v).toBe(value);
  });

  it.each([
    ['scalars', ['{}', '[]', '[1]'], 'single values'],
    ['arrays', ['{}', '"[1]"', '1', 'false'], 'arrays'],
  ] as const)('of %s take nothing else', (of, values, words) => {
    for (const value of values) {
      const { refused, isNew } = judge([`{"v":${value}}`], {
        columns: verbatim(of),
        refusedFields: undefined,
      });
      expect(isNew).toBe(false);
      expect(refused).toEqual([expect.stringContaining(`text of ${words} as they were written`)]);
    }
  });
});

describe('records', () => {
  it.each([
    '{"a":null',
    '{"a":null,',
    '{"a":',
    '{"a"',
    '{"a',
    '{"a\\',
    '{"a\\u00',
    '{',
    '[null',
    '[null,',
    '[',
    '{"x":{"a":1',
    '{"x":[{"a":1,"b":2},{"c":3}',
    '{"x":[[1',
    '"x',
    'nul',
    '-',
    '1.',
    '1e',
    '{"a":tru',
    '{"a":"\\ud800',
    '{}}',
    '{} {}',
    '\ufeff{}',
  ])('cost their neighbours nothing when one is %j', (bad) => {
    const lines = ['{"c0":1}', bad, '{"c0":2}', '', bad, bad, '{"c0":3}', bad];
    const { written, refused } = judge(lines, { columns: columns(1) });
    expect(written).toBe('{"c0":1}\n{"c0":2}\n{"c0":3}\n');
    expect(refused.map((each) => each.slice(0, 15))).toEqual(
      [2, 5, 6, 8].map((line) => `${line}: not a record`),
    );
  });

  it.each([1, 63, 64, 65, 129, 1500, 2000])('with %i columns name a field once', (count) => {
    const last = `c${count - 1}`;
    const { written, refused } = judge(
      [`{"${last}":1,"${last}":2}`, `{"${last}":1}`, `{"${last}":1,"c0":null,"\\u0063${count - 1}":2}`], // prettier-ignore
      { columns: columns(count) },
    );
    expect(written).toBe(`{"${last}":1}\n`);
    expect(refused).toEqual([`1: ${twice(last)}`, `3: ${twice(last)}`]);
  });

  it.each([
    ['{"new":null,"new":null}', twice('new')],
    ['{"new":null,"n\\u0065w":[]}', twice('new')],
    ['{"":null,"":[]}', twice('')],
    ['{"_timestamp":1,"_timestamp":2}', twice('_timestamp')],
    ['{"_timestamp":null,"_\\u0074imestamp":null}', twice('_timestamp')],
    ['{"__proto__":null,"__proto__":null}', twice('__proto__')],
    ['{"new":1,"new":2}', twice('new')],
    ['{"o":{"x":1,"\\u0078":2}}', 'field "o": an object within it names a field twice'],
    ['{"q\\"":{"x":1,"x":2}}', 'field "q"": an object within it names a field twice'],
    ['{"o":[{"x":{"":1,"":2}}]}', 'field "o": an object within it names a field twice'],
  ])('are refused: %s', (line, reason) => {
    const { written, refused } = judge([line, line, '{"new":null}']);
    expect(written).toBe('{"new":null}\n');
    expect(refused).toEqual([`1: ${reason}`, `2: ${reason}`]);
  });

  it.each([
    '{"new":null,"New":null,"NEW":null,"é":null,"e\u0301":null}',
    '{"o":[{"x":1},{"x":2}]}',
    '{"o":{"x":{"x":{"x":1}},"y":{"x":1}}}',
    `{"o":{${Array.from({ length: 40 }, (_, index) => `"x${index}":{"x${index}":1}`).join(',')}}}`,
    '{"__proto__":null,"constructor":null,"toString":null}',
  ])('are taken: %s', (line) => {
    const { written } = judge([line], { columns: [column('o', line.includes('[{') ? 'Array(JSON)' : 'JSON')] }); // prettier-ignore
    expect(written).toBe(`${line}\n`);
  });

  it.each([12, 13, 100])('are refused for the last of %i nested names', (count) => {
    const names = Array.from({ length: count }, (_, index) => `"x${index}":1`);
    const { refused } = judge([`{"o":{${[...names, '"x0":2'].join(',')}}}`]);
    expect(refused).toEqual(['1: field "o": an object within it names a field twice']);
  });

  it('have as many fields as a stream, and no more', () => {
    const record = (count: number, held = 'null'): string =>
      `{${Array.from({ length: count }, (_, index) => `"n${index}":${held}`).join(',')}}`;
    const { accepted, refused } = judge([record(2001), record(2000), record(100_000), '{}']);
    const reason = 'not a record: it has more than the 2000 fields a stream can have';
    expect([accepted, refused]).toEqual([2, [`1: ${reason}`, `3: ${reason}`]]);
    expect(judge([record(2001, '1')], { refusedFields: undefined }).survey).toEqual([]);
  });

  it('have names beyond what a table of fields holds', () => {
    const lines = Array.from({ length: 15 }, (_, line) =>
      Array.from({ length: 1999 }, (__, index) => `"n${line}.${index}":null`),
    );
    const { refused, accepted, survey } = judge([
      ...lines.map((members) => `{${members.join(',')}}`),
      '{"late":null,"late":null}',
      '{"late":1}',
      '{"late":{"x":1,"x":2}}',
      '{"late":null}',
    ]);
    expect([accepted, survey.length]).toEqual([16, 19_999]);
    expect(refused).toEqual([
      `16: ${twice('late')}`,
      `17: field "late": ${UNKNOWN}`,
      '18: field "late": an object within it names a field twice',
    ]);
  });

  it('are told from one another, whatever the one before was', () => {
    const { refused, written } = judge(
      [
        '{"c0":1.0,"_timestamp":"2026-01-01","c1":true}',
        '{"c0":2}',
        '{"o":{"a":1,"b":{"a":1,"x',
        '{"o":{"a":1}}',
        '{"n":[null],"m":{"a":1,"a":2}}',
        '{"o":{"c":{"d":1},"e":1}}',
        '{"n":null}',
        `{"o":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`,
        '{"o":{"a":{"a":{}}}}',
        Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
        '{"c1":3.0 , "c0":-0}',
      ],
      { columns: [...columns(2), column('o', 'JSON')] },
    );
    expect(refused.map((each) => each.split(':')[0])).toEqual(['1', '3', '5', '8', '10']);
    expect(written.split('\n')).toEqual([
      '{"c0":2}',
      '{"o":{"a":1}}',
      '{"o":{"c":{"d":1},"e":1}}',
      '{"n":null}',
      '{"o":{"a":{"a":{}}}}',
      '{"c1":3 , "c0":0}',
      '',
    ]);
  });

  it('are numbered from the first line on', () => {
    const lines = ['', ' \t\r', 'x\r', '{}\r', '', 'y', '{}'];
    const first = 2 ** 40;
    expect(judge(lines, { firstLine: first }).refused.map((each) => each.split(':')[0])).toEqual([
      `${first + 2}`,
      `${first + 5}`,
    ]);
  });

  it.each([
    ['[1]', 'not a record: want a JSON object, this is array'],
    ['1', 'not a record: want a JSON object, this is int64'],
    ['1e19', 'not a record: want a JSON object, this is uint64'],
    ['1.5', 'not a record: want a JSON object, this is double'],
    ['null', 'not a record: want a JSON object, this is null'],
    ['"x"', 'not a record: want a JSON object, this is string'],
    ['{"a":1e400}', 'not a record: a number beyond 64 bits; send it as text'],
    ['{"a":"\\ud800"}', 'not a record: a text with half of a surrogate pair'],
    ['{"a":"\\ud800\\u0061"}', 'not a record: a text with half of a surrogate pair'],
    ['{"a":"\\udc00\\ud800"}', 'not a record: a text with half of a surrogate pair'],
    ['{"a":01}', 'not a record: malformed JSON'],
    ['{"a":"x\ty"}', 'not a record: malformed JSON'],
  ])('say what is wrong with %s', (line, reason) => {
    const { refused } = judge([line], { columns: [column('a')] });
    expect(refused.map((each) => each.slice(3, 3 + reason.length))).toEqual([reason]);
  });
});
