import { beyondFloat } from './column-types.js';
import { limitedWithin, morePaths, PATHS_MAX, within, withPaths } from './object-paths.js';
import { pathFields, pathValue } from './object-values.js';
import { streamAggregate, type StreamEvent, type StreamState } from './stream.aggregate.js';

const IDENTITY = { id: 's', organizationId: 'o', database: 'd', name: 'n' };
const CREATED: StreamEvent = { type: 'StreamCreated', data: IDENTITY };
const after = (events: readonly StreamEvent[]): StreamState =>
  events.reduce(streamAggregate.evolve, streamAggregate.initialState);
const seen = (state: StreamState, ...kinds: string[]): StreamState => {
  const survey = new Map([['k', new Map(['JSON', ...kinds].map((kind) => [kind, 1]))]]);
  return streamAggregate
    .decide(state, { type: 'evolve', survey })
    .reduce(streamAggregate.evolve, state);
};

describe('paths within objects', () => {
  it('are listed with the kinds of their values, by events', () => {
    const first = seen(after([CREATED]), within('a', 'Int64'));
    expect(first.objects).toEqual([{ name: 'k', paths: [{ path: 'a', kinds: ['Int64'] }] }]);
    const second = seen(first, within('a', 'Int64'), within('a', 'String'), within('b.c', 'Bool'));
    expect(pathFields(second.objects).map(({ name, type }) => [name, type])).toEqual([
      ['k.a', 'Nullable(String)'],
      ['k.b.c', 'Nullable(Bool)'],
    ]);
    expect(seen(second, within('a', 'String'))).toBe(second);
  });

  it('keep apart integers that floats do not have', () => {
    const state = seen(
      after([CREATED]),
      within('n', 'Int64'),
      within('n', beyondFloat('Int64')),
      within('n', 'Float64'),
    );
    expect(pathFields(state.objects).map(({ name, type }) => [name, type])).toEqual([
      ['k.n', 'Nullable(String)'],
    ]);
  });

  it('are not listed of columns that are older than the list', () => {
    const old = after([
      { type: 'StreamCreated', data: { ...IDENTITY, columns: [{ name: 'k', type: 'JSON' }] } },
    ]);
    expect(seen(old, within('a', 'Int64')).objects).toEqual([]);
  });

  it('are as many as a stream may list', () => {
    const kinds = Array.from({ length: PATHS_MAX + 5 }, (_, n) => within(`p${n}`, 'Int64'));
    const full = seen(after([CREATED]), ...kinds);
    expect(full.objects[0]?.paths).toHaveLength(PATHS_MAX);
    const later = seen(full, within('p1', 'String'), within('late', 'Int64'));
    expect(later.objects[0]?.paths[1]).toEqual({ path: 'p1', kinds: ['Int64', 'String'] });
    expect(later.objects[0]?.paths).toHaveLength(PATHS_MAX);
  });

  it('end where not all of them are told', () => {
    const column = { name: 'k', paths: [{ path: 'a', kinds: ['Int64'] }] };
    const crowded = morePaths(column, [limitedWithin('crowded')], 10);
    const some = withPaths([column], crowded ? [crowded] : []);
    expect(some).toEqual([{ ...column, limit: 'crowded' }]);
    const [now = column] = some;
    expect(morePaths(now, [within('b', 'Int64')], 10)).toBeUndefined();
    expect(morePaths(now, [within('a', 'Bool')], 10)?.paths).toHaveLength(1);
    const untold = morePaths(now, [limitedWithin('untold')], 10);
    expect(withPaths(some, untold ? [untold] : [])).toEqual([
      { name: 'k', paths: [], limit: 'untold' },
    ]);
  });

  it.each([
    [['Int64'], 'Nullable(Int64)'],
    [['Int64', 'Float64'], 'Nullable(Float64)'],
    [['Int64', 'beyond floats: Int64'], 'Nullable(Int64)'],
    [['Int64', 'beyond floats: Int64', 'Float64'], 'Nullable(String)'],
    [['Int64', 'UInt64'], 'Nullable(Decimal(20, 0))'],
    [['Bool', 'String'], 'Nullable(String)'],
    [['Int64', 'Array(Nothing)'], 'Nullable(String)'],
    [['written float'], 'Nullable(Float64)'],
    [['written float', 'String'], 'Nullable(String)'],
    [['Array(Nothing)', 'Array(Nullable(String))'], 'Array(Nullable(String))'],
    [['Array(Nullable(Int64))', 'Array(Nullable(Float64))'], 'Array(Nullable(Float64))'],
    [['Array(Nullable(Int64))', 'Array(Nullable(String))'], undefined],
    [['Array(JSON)'], undefined],
    [['Array(Nothing)'], undefined],
  ])('of %j are read as %s', (kinds, type) => {
    expect(pathValue(kinds)?.type).toBe(type);
  });
});
