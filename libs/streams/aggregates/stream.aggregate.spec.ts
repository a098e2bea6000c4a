import type { Column } from '@app/warehouse';
import { beyondFloat, changedIn } from './column-types.js';
import { COLUMNS_MAX } from './declared-columns.js';
import { fieldNameProblem, streamNameProblem } from './stream-name-rules.js';
import { refusedFields, UNTYPED_MAX, type Survey } from './stream-schema.js';
import {
  streamAggregate,
  type StreamChange,
  type StreamCommand,
  type StreamEvent,
} from './stream.aggregate.js';
import type { SettingsChange, StreamSettings } from './stream-settings.js';

const STREAM = { id: 's', organizationId: 'o', database: 'd', name: 'logs' };
const CREATED: StreamEvent = { type: 'StreamCreated', data: STREAM };
const survey = (fields: Record<string, string>): Survey =>
  new Map(Object.entries(fields).map(([name, kind]) => [name, new Map([[kind, 1]])]));
const evolve = (fields: Record<string, string>): StreamCommand => ({
  type: 'evolve',
  survey: survey(fields),
});
const given = (events: readonly StreamEvent[]) => ({
  when: (command: StreamCommand) =>
    streamAggregate.decide(
      events.reduce(streamAggregate.evolve, streamAggregate.initialState),
      command,
    ),
});

describe('a stream', () => {
  it('is created once', () => {
    expect(given([]).when({ type: 'create', stream: STREAM })).toEqual([CREATED]);
    expect(given([CREATED]).when({ type: 'create', stream: STREAM })).toEqual([]);
  });

  it('begins with what is known of it, by one event, as if it had changed after', () => {
    const settings: SettingsChange = { dataRetention: 3, partitionKeys: ['n'] };
    const declared = [{ name: 'n', type: 'Nullable(Int64)' }];
    const seen = new Map([['n', new Map([['Int64', 2], [beyondFloat('Int64'), 1]])]]); // prettier-ignore
    const beginnings: StreamChange[] = [
      { type: 'evolve', survey: seen },
      { type: 'change-settings', change: settings, declared },
      { type: 'evolve', survey: survey({ nothing: 'None' }) },
    ];
    const state = (events: readonly StreamEvent[]) =>
      events.reduce(streamAggregate.evolve, streamAggregate.initialState);
    for (const beginning of beginnings) {
      const made = given([]).when({ type: 'create', stream: STREAM, beginning });
      expect(made).toHaveLength(1);
      expect(state(made)).toEqual(state([CREATED, ...given([CREATED]).when(beginning)]));
      expect(given(made).when(beginning)).toEqual([]);
    }
    expect(() =>
      given([]).when({
        type: 'create',
        stream: STREAM,
        beginning: { type: 'change-settings', change: settings, declared: [] },
      }),
    ).toThrow('partition_keys');
  });

  it('adds columns in the order of the survey, and only those that are new', () => {
    const [evolved] = given([CREATED]).when(
      evolve({ b: 'String', a: 'Int64', n: 'None', _timestamp: 'Int64' }),
    );
    expect(evolved?.data).toEqual({
      id: 's',
      added: [
        { name: 'b', type: 'Nullable(String)' },
        { name: 'a', type: 'Nullable(Int64)' },
      ],
      widened: [],
      untyped: ['n'],
      version: 1,
    });
    expect(
      given([CREATED, evolved as StreamEvent]).when(evolve({ a: 'Int64', b: 'Bool' })),
    ).toEqual([]);
  });

  it.each([
    ['Int64', 'Float64'],
    ['Array(Nullable(Int64))', 'Array(Nullable(Float64))'],
  ])('never widens a column of %s once it gets what floats do not have', (integers, fractions) => {
    const first = given([CREATED]).when(evolve({ a: integers, b: integers }));
    const kept = given([CREATED, ...first]).when(evolve({ a: beyondFloat(integers) }));
    expect(kept).toMatchObject([{ data: { added: [], widened: [], exact: ['a'], version: 2 } }]);
    const events = [CREATED, ...first, ...kept];
    expect(given(events).when(evolve({ a: beyondFloat(integers) }))).toEqual([]);
    expect(given(events).when(evolve({ a: fractions, b: fractions }))).toMatchObject([
      { data: { widened: [{ name: 'b' }], version: 3 } },
    ]);
    // A new column may begin with such integers; a column of floats rejects them.
    const began = new Map([['c', new Map([[integers, 2], [beyondFloat(integers), 1]])]]); // prettier-ignore
    expect(given([CREATED]).when({ type: 'evolve', survey: began })).toMatchObject([
      { data: { added: [{ name: 'c' }], exact: ['c'] } },
    ]);
    const floats = [CREATED, ...given([CREATED]).when(evolve({ d: fractions }))];
    expect(given(floats).when(evolve({ d: beyondFloat(integers) }))).toEqual([]);
  });

  it('widens integers when fractions come, keeping the column’s place', () => {
    const events = [CREATED, ...given([CREATED]).when(evolve({ a: 'Int64', b: 'String' }))];
    const more = given(events).when(evolve({ a: 'Float64', c: 'JSON' }));
    expect(more).toMatchObject([
      {
        data: {
          added: [{ name: 'c' }],
          widened: [{ name: 'a', type: 'Nullable(Float64)' }],
          version: 2,
        },
      },
    ]);
    const { columns } = [...events, ...more].reduce(
      streamAggregate.evolve,
      streamAggregate.initialState,
    );
    expect(columns.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('takes no field that the engine would take for a part of another, and says so', () => {
    const seen = { 'a.x': 'Int64', a: 'JSON', error: 'String', 'error.message': 'String' };
    const lists = { 'l.a': 'Array(Nullable(Int64))', 'l.b': 'Array(JSON)' };
    const events = [CREATED, ...given([CREATED]).when(evolve({ ...seen, ...lists }))];
    const { columns } = events.reduce(streamAggregate.evolve, streamAggregate.initialState);
    expect(columns.map(({ name }) => name)).toEqual(['a.x', 'error', 'error.message', 'l.a']);
    const refused = refusedFields(columns, survey({ ...seen, ...lists }));
    expect([...refused.keys()]).toEqual(['a', 'l.b']);
    expect(refused.get('a')).toContain('cannot stand beside the field "a.x"');
    // The command that comes later is judged by the columns that are there by then.
    expect(
      given(events).when(evolve({ a: 'JSON', 'l.c': 'Array(JSON)', b: 'JSON' })),
    ).toMatchObject([{ data: { added: [{ name: 'b' }] } }]);
  });

  it('has so many columns and no more, and says which fields found no place', () => {
    const wide = Object.fromEntries(
      Array.from({ length: COLUMNS_MAX + 2 }, (_, index) => [`f${index}`, 'Int64']),
    );
    const events = [CREATED, ...given([CREATED]).when(evolve(wide))];
    const { columns } = events.reduce(streamAggregate.evolve, streamAggregate.initialState);
    expect(columns).toHaveLength(COLUMNS_MAX);
    expect([...refusedFields(columns, survey(wide)).keys()]).toEqual([
      `f${COLUMNS_MAX}`,
      `f${COLUMNS_MAX + 1}`,
    ]);
    expect([
      ...refusedFields([], survey({ '': 'Int64', _row: 'Int64', nothing: 'None' })).keys(),
    ]).toEqual(['', '_row']);
  });
});

describe('fields without a value', () => {
  const stateOf = (events: readonly StreamEvent[]) =>
    events.reduce(streamAggregate.evolve, streamAggregate.initialState);
  const nulls = (...names: string[]): Record<string, string> =>
    Object.fromEntries(names.map((name) => [name, 'None']));
  const after = (events: readonly StreamEvent[], fields: Record<string, string>): StreamEvent[] => [
    ...events,
    ...given(events).when(evolve(fields)),
  ];

  it('are listed once, and take the type of their first value', () => {
    const first = after([CREATED], { ...nulls('a', 'b'), c: 'Array(Nothing)' });
    expect(first).toMatchObject([{}, { data: { untyped: ['a', 'b', 'c'], version: 1 } }]);
    expect(given(first).when(evolve(nulls('a', 'c')))).toEqual([]);
    const typed = after(first, { a: 'Int64', ...nulls('b') });
    expect(typed[2]?.data).toMatchObject({ added: [{ name: 'a', type: 'Nullable(Int64)' }] });
    const { columns, untyped } = stateOf(typed);
    expect([columns.map(({ name }) => name), untyped]).toEqual([['a'], ['b', 'c']]);
    // Another node with another kind comes second.
    expect(given(typed).when(evolve({ a: 'String' }))).toEqual([]);
  });

  it('can be declared', () => {
    const declared = [{ name: 'a', type: 'Array(Nullable(String))' }];
    const events = after([CREATED], nulls('a', 'b'));
    const made = given(events).when({ type: 'change-settings', change: {}, declared });
    const { columns, untyped } = stateOf([...events, ...made]);
    expect([columns, untyped]).toEqual([declared, ['b']]);
  });

  it('are in no column’s way', () => {
    const events = after([CREATED], nulls('l', 'a', 'a.x'));
    const typed = after(events, { 'l.b': 'Array(Nullable(Int64))', a: 'JSON' });
    expect(typed[2]?.data).toMatchObject({
      added: [{ name: 'l.b' }, { name: 'a' }],
      withdrawn: ['l', 'a.x'],
    });
    expect(stateOf(typed).untyped).toEqual([]);
    // The fields are not listed again, so the command changes nothing.
    expect(given(typed).when(evolve(nulls('l', 'a.x', '', '_row', '_timestamp')))).toEqual([]);
  });

  it('count as columns, and give up their places to those', () => {
    const many = (letter: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${letter}${index}`);
    const numbers = (...names: string[]) =>
      Object.fromEntries(names.map((name) => [name, 'Int64']));
    const events = after([CREATED], nulls(...many('n', UNTYPED_MAX + 5)));
    expect(stateOf(events).untyped).toHaveLength(UNTYPED_MAX);
    expect(given(events).when(evolve(nulls('more')))).toEqual([]);
    const room = COLUMNS_MAX - UNTYPED_MAX;
    const typed = after(events, numbers(...many('c', room + 10)));
    const { columns, untyped } = stateOf(typed);
    expect([columns.length, untyped.length]).toEqual([room + 10, UNTYPED_MAX - 10]);
  });

  it('are in the event that makes a stream, as is text of several kinds', () => {
    const seen: Survey = new Map([
      ['n', new Map([['None', 3]])],
      ['v', new Map([['Int64', 2], ['Bool', 1]])], // prettier-ignore
      ['w', new Map([['Array(Dynamic)', 2], [changedIn('Array(Dynamic)'), 1]])], // prettier-ignore
    ]);
    const beginning: StreamChange = { type: 'evolve', survey: seen };
    const made = given([]).when({ type: 'create', stream: STREAM, beginning });
    const verbatim = [{ name: 'v', of: 'scalars' }, { name: 'w', of: 'arrays' }]; // prettier-ignore
    expect(made).toMatchObject([{ data: { untyped: ['n'], verbatim } }]);
    expect(stateOf(made)).toEqual(stateOf([CREATED, ...given([CREATED]).when(beginning)]));
    // Stored events are JSON.
    expect(stateOf(JSON.parse(JSON.stringify(made)) as StreamEvent[])).toEqual(stateOf(made));
  });
});

describe('settings of a stream', () => {
  const COLUMNS: StreamEvent = {
    type: 'StreamSchemaEvolved',
    data: {
      id: 's',
      added: [
        { name: 't', type: 'Nullable(String)' },
        { name: 'n', type: 'Nullable(Int64)' },
        { name: 'list', type: 'Array(Nullable(String))' },
      ],
      widened: [],
      version: 1,
    },
  };
  const addedAs = (type: string): StreamEvent => ({
    type: 'StreamSchemaEvolved',
    data: { id: 's', added: [{ name: 'v', type }], widened: [], version: 1 },
  });
  const change = (
    wanted: SettingsChange,
    declared: readonly Column[] = [],
  ): Extract<StreamCommand, { type: 'change-settings' }> => ({
    type: 'change-settings',
    change: wanted,
    declared,
  });
  const changed = (settings: Partial<StreamSettings>): StreamEvent => ({
    type: 'StreamSettingsChanged',
    data: { id: 's', settings },
  });

  it('change by what is said, and not when nothing is new', () => {
    const first = given([CREATED, COLUMNS]).when(
      change({ dataRetention: 30, partitionKeys: ['n', 'n'] }),
    );
    expect(first).toEqual([changed({ dataRetention: 30, partitionKeys: ['n'] })]);
    const after = given([CREATED, COLUMNS, ...first]);
    expect(after.when(change({ dataRetention: 30, partitionKeys: { add: ['n'] } }))).toEqual([]);
    expect(after.when(change({ partitionKeys: { add: ['t'], remove: ['n'] } }))).toEqual([
      changed({ partitionKeys: ['t'] }),
    ]);
    expect(after.when(change({ dataRetention: 0 }))).toEqual([changed({ dataRetention: 0 })]);
  });

  it('delete no rows by a shorter retention for who may not', () => {
    const keeping = (days: number) => ({ ...change({ dataRetention: days }), keepsRows: true });
    const refused = expect.objectContaining({
      kind: 'FORBIDDEN',
      message: expect.stringContaining('only an admin') as string,
    }) as Error;
    const all = given([CREATED, COLUMNS]);
    expect(() => all.when(keeping(36_500))).toThrow(refused);
    expect(all.when(keeping(0))).toEqual([]);
    const month = given([CREATED, COLUMNS, changed({ dataRetention: 30 })]);
    expect(() => month.when(keeping(29))).toThrow(refused);
    for (const longer of [31, 0])
      expect(month.when(keeping(longer))).toEqual([changed({ dataRetention: longer })]);
    expect(month.when(change({ dataRetention: 1 }))).toEqual([changed({ dataRetention: 1 })]);
  });

  it('are about columns that are there and can be what they shall', () => {
    const stream = given([CREATED, COLUMNS]);
    for (const wrong of [
      change({ partitionKeys: ['nope'] }),
      change({ partitionKeys: ['list'] }),
      change({ fullTextSearchKeys: ['n'] }),
      change({ fullTextSearchKeys: { add: ['nope'] } }),
    ])
      expect(() => stream.when(wrong)).toThrow(/_keys: "/);
    const declared = [{ name: 'new', type: 'Nullable(String)' }];
    expect(stream.when(change({ fullTextSearchKeys: ['new'] }, declared))).toMatchObject([
      { type: 'StreamSchemaEvolved', data: { added: declared, version: 2 } },
      { type: 'StreamSettingsChanged' },
    ]);
  });

  it('declare columns, each once and with one type', () => {
    const stream = given([CREATED, COLUMNS]);
    expect(stream.when(change({}, [{ name: 'n', type: 'Nullable(Int64)' }]))).toEqual([]);
    expect(() => stream.when(change({}, [{ name: 'n', type: 'Nullable(Bool)' }]))).toThrow(
      /"n" is Int64 already, and cannot become Boolean without loss/,
    );
    for (const name of ['', '_timestamp', '_row', 'k'.repeat(257)])
      expect(() => stream.when(change({}, [{ name, type: 'Nullable(String)' }]))).toThrow(
        /columns:/,
      );
  });

  it.each([
    ['Int32', 'Int64'],
    ['Int64', 'Decimal(21, 2)'],
    ['Date32', "DateTime64(6, 'UTC')"],
    ['DateTime64(3)', 'DateTime64(6)'],
    ['Decimal(5, 2)', 'Decimal(7, 3)'],
  ])('widen a column that is declared so, or a list (%s to %s)', (from, to) => {
    for (const of of [
      (type: string) => `Nullable(${type})`,
      (type: string) => `Array(Nullable(${type}))`,
    ]) {
      const stream = given([CREATED, addedAs(of(from))]);
      const wider = { name: 'v', type: of(to) };
      expect(stream.when(change({}, [wider]))).toEqual([
        { type: 'StreamSchemaEvolved', data: { id: 's', added: [], widened: [wider], version: 2 } },
      ]);
    }
  });

  it.each(['Int64', 'Float64', 'Bool', 'Decimal(5, 2)', 'Date32', 'Time64(3)', 'UUID'])(
    'make text of a column that is declared so, which takes what still comes as it is written (%s)',
    (from) => {
      const stream = given([CREATED, addedAs(`Nullable(${from})`)]);
      const text = { name: 'v', type: 'Nullable(String)' };
      const verbatim = [{ name: 'v', of: 'scalars' }];
      expect(stream.when(change({ fullTextSearchKeys: ['v'] }, [text]))).toMatchObject([
        { type: 'StreamSchemaEvolved', data: { widened: [text], verbatim } },
        { type: 'StreamSettingsChanged' },
      ]);
    },
  );

  it.each([
    ['Nullable(Int64)', 'Nullable(Int32)', 'without loss'],
    ['Nullable(Int64)', 'Nullable(Float64)', 'the first fraction that comes makes it one'],
    ['Nullable(String)', 'Nullable(Date32)', 'text stays text; declare the type in a new stream'],
    ["Nullable(DateTime64(6, 'UTC'))", 'Nullable(DateTime64(6))', 'without loss'],
    ["Nullable(DateTime64(6, 'UTC'))", 'Nullable(String)', 'without loss'],
    ['Nullable(Int64)', 'Array(Nullable(Int64))', 'without loss'],
    ['JSON', 'Nullable(String)', 'without loss'],
  ])('change no column that would lose by it (%s to %s)', (from, type, why) => {
    const stream = given([CREATED, addedAs(from)]);
    expect(() => stream.when(change({}, [{ name: 'v', type }]))).toThrow(why);
  });

  it('declare no column that another one is in the way of', () => {
    const stream = given([CREATED, COLUMNS]);
    const text = (name: string): Column => ({ name, type: 'Nullable(String)' });
    expect(() => stream.when(change({}, [text('list.size0')]))).toThrow(
      'columns: "list.size0" cannot stand beside the field "list"',
    );
    expect(() => stream.when(change({}, [text('x.y'), { name: 'x', type: 'JSON' }]))).toThrow(
      'columns: "x" cannot stand beside the field "x.y"',
    );
    expect(stream.when(change({}, [text('t.x'), text('x.y'), text('x')]))).toHaveLength(1);
  });

  it('of a deleted stream cannot change, nor its columns; it is deleted once', () => {
    const deleted: StreamEvent = { type: 'StreamDeleted', data: { id: 's' } };
    expect(given([CREATED]).when({ type: 'delete' })).toEqual([deleted]);
    const gone = given([CREATED, COLUMNS, deleted]);
    for (const command of [
      { type: 'delete' } as const,
      change({ dataRetention: 1 }),
      evolve({ x: 'Int64' }),
    ])
      expect(() => gone.when(command)).toThrow('stream not found');
  });
});

describe('names', () => {
  it.each(['a', 'A-1.b_c', '.x', '-x', 'x'.repeat(127), '9', `${'-'.repeat(59)}aa`])(
    'take stream %s',
    (name) => {
      expect(streamNameProblem(name)).toBeUndefined();
    },
  );
  it.each([
    '',
    '.',
    '..',
    '_a',
    'a b',
    'a/b',
    'é',
    'x'.repeat(128),
    'a\n',
    '-'.repeat(60),
    'a\u0000',
  ])('refuse stream %j', (name) => {
    expect(streamNameProblem(name)).toMatch(/stream name/);
  });
  it.each(['', '_timestamp', '_offset', '_row_exists', 'a\u0000', 'x\ty', 'k'.repeat(257)])(
    'refuse field %j',
    (name) => {
      expect(fieldNameProblem(name)).toBeDefined();
    },
  );
  it.each(['a.b', '@timestamp', 'ключ', 'with space', '_id', 'a`b"c'])('take field %j', (name) => {
    expect(fieldNameProblem(name)).toBeUndefined();
  });
});
