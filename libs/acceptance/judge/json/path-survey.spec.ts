import { within, type ObjectColumn } from '@app/streams';
import { PathSurvey } from './path-survey.js';
import { RecordReader } from './record-reader.js';

/** Kinds that are told of the field `k` of these lines. */
function told(lines: readonly string[], objects: readonly ObjectColumn[] = []): readonly string[] {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const reader = new RecordReader(bytes, ['_timestamp', 'k'], 2000);
  const paths = new PathSurvey(objects, (name) => reader.fields.indexOf(name));
  reader.scanner.paths = paths;
  for (let at = 0; at < bytes.length; at = reader.scanner.at + 1) {
    reader.scanner.begin(at);
    reader.read();
    reader.keepNames();
  }
  return paths
    .surveyed((field) => reader.fields.names[field])
    .filter(({ field }) => field === 'k')
    .map(({ kind }) => kind);
}

describe('the survey of paths', () => {
  it.each([
    ['{"k":{"a":1,"b":{"c":"x"}}}', [within('a', 'Int64'), within('b.c', 'String')]],
    ['{"k":{"a":null,"b":{}}}', []],
    ['{"k":1}', []],
    ['{"k":[{"a":1}],"l":{"a":1}}', []],
    ['{"k":{"a":[{"b":1}]}}', [within('a', 'Array(JSON)')]],
    ['{"k":{"a":1.0}}', [within('a', 'Int64'), within('a', 'Float64')]],
    ['{"k":{"a":9007199254740993}}', [within('a', 'Int64'), within('a', 'beyond floats: Int64')]],
    ['{"k":{"a":[null],"b":[]}}', [within('a', 'Array(Dynamic)'), within('b', 'Array(Nothing)')]],
    ['{"k":{"\\u0061":true}}', [within('a', 'Bool')]],
    ['{"k":{"":1,"a.b":{"c":1},"`":1,"%":1,"x\\ty":1}}', []],
  ])('of %s tells %j', (line, kinds) => {
    expect(told([line])).toEqual(kinds);
  });

  it('tells nothing of paths that nobody could list, however many there are', () => {
    const long = 'x'.repeat(1_000_000);
    const inner = Array.from({ length: 1000 }, (_, n) => `"a${n}":1`).join(',');
    const before = process.memoryUsage().rss;
    expect(told([`{"k":{"${long}":{${inner}},"b":1}}`])).toEqual([within('b', 'Int64')]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
    const edge = 'y'.repeat(254);
    expect(told([`{"k":{"${edge}":{"a":1,"ab":1}}}`])).toEqual([within(`${edge}.a`, 'Int64')]);
  });

  it('tells nothing of a field that a broken record would have begun', () => {
    const bytes = Buffer.from('{"x":{"a":1},"bad"\n{"y":{"b":"t"}}\n');
    const reader = new RecordReader(bytes, ['_timestamp'], 2000);
    const paths = new PathSurvey([], () => -1);
    reader.scanner.paths = paths;
    reader.scanner.begin(0);
    expect(() => reader.read()).toThrow();
    reader.forgetNames();
    reader.scanner.begin(bytes.indexOf('\n') + 1);
    expect(reader.read()).toBe(true);
    reader.keepNames();
    const names = paths.surveyed((field) => reader.fields.names[field]);
    expect(names.map(({ field, kind }) => [field, kind])).toEqual([['y', within('b', 'String')]]);
  });

  it('tells only what is new', () => {
    const known = [{ name: 'k', paths: [{ path: 'a.b', kinds: ['Int64'] }] }];
    expect(told(['{"k":{"a":{"b":1}}}'], known)).toEqual([]);
    expect(told(['{"k":{"a":{"b":1,"c":2}}}', '{"k":{"a":{"b":"x"}}}'], known)).toEqual([
      within('a.b', 'String'),
      within('a.c', 'Int64'),
    ]);
  });

  it('finds keys in any order, and each in its own object', () => {
    const lines = ['{"k":{"a":{"x":1},"b":{"x":"t"}}}', '{"k":{"b":{"x":"u"},"a":{"x":2}}}'];
    expect(told(lines)).toEqual([within('a.x', 'Int64'), within('b.x', 'String')]);
  });

  it('says where there are more keys than are told apart, and goes no deeper than ten', () => {
    const keys = Array.from({ length: 11_000 }, (_, n) => `"k${n}":1`);
    const kinds = told([`{"k":{${keys.join(',')}}}`]);
    expect(kinds).toContain(within('', 'crowded'));
    expect(kinds.length).toBeLessThan(10_010);
    const deep = `${'{"d":'.repeat(11)}1${'}'.repeat(11)}`;
    expect(told([`{"k":${deep}}`])).toEqual([]);
  });
});
