import fc from 'fast-check';
import { hasPaths, fits } from '@app/streams';
import { ChunkMemory } from '../chunk/chunk-memory.js';
import { KIND_NAMES } from '../values/kinds.js';
import { LinesJudge } from './judge-lines.js';
import type { JudgeJob } from '../chunk/judge-job.js';
import { rounds } from '../../../../test/rounds.js';
import { chunks } from '../../../../test/doubles/judge/json-chunks.js';
import { slowJson, type Slow } from '../../../../test/doubles/judge/slow-json.js';
import { slowTime } from '../../../../test/doubles/judge/slow-time.js';
import { slowVerdicts } from '../../../../test/doubles/judge/slow-judge.js';

const TYPES = [
  ...['Int64', 'UInt64', 'Float64', 'Bool', 'String'].map((type) => `Nullable(${type})`),
  'JSON',
  'Array(JSON)',
  'Array(Dynamic)',
];
const ALL_TYPES = [...TYPES, ...TYPES.slice(0, 5).map((type) => `Array(${type})`)];
const NAMES = ['a', 'b', 'é', '', '@timestamp', '__proto__'];

const columns = fc.uniqueArray(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        name: fc.constantFrom(...NAMES),
        type: fc.constantFrom(...ALL_TYPES),
        verbatim: fc.constant(undefined),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        name: fc.constantFrom(...NAMES),
        type: fc.constant('Nullable(String)'),
        verbatim: fc.constantFrom('scalars' as const, 'arrays' as const),
      }),
    },
  ),
  { selector: ({ name }) => name, maxLength: NAMES.length },
);
const times = fc.constantFrom('microseconds' as const, 'by magnitude' as const);
const jobs = fc
  .record({
    columns,
    exact: fc.subarray(NAMES),
    objects: fc.constant([]),
    fieldsMax: fc.constantFrom(2, 3, 2000, 2000),
    keptFrom: fc.constantFrom(undefined, undefined, 0, 1_700_000_000_000_000),
    isAsked: fc.boolean(),
  })
  .map(({ columns: chosen, isAsked, ...rest }): JudgeJob => ({
    ...rest,
    columns: chosen.map(({ name, type, verbatim }) => ({
      name,
      type,
      verbatim,
      fits: KIND_NAMES.reduce((mask, kind, at) => mask | (fits(type, kind) ? 1 << at : 0), 0),
    })),
    refusedFields: isAsked ? new Map<string, string>() : undefined,
    source: '',
    firstLine: 1,
    acceptedAt: 1_767_225_600_000_000,
    uploadId: 'u',
    stream: 's',
  }));

describe('LinesJudge', () => {
  it('comes to the same as a judge that is slow and simple', () => {
    fc.assert(
      fc.property(chunks, jobs, times, (bytes, job, times) => {
        const slow = slowVerdicts(bytes, job);
        const lines = Buffer.concat([bytes, Buffer.from('\n')]);
        const judge = new LinesJudge(lines, job, times, new ChunkMemory());
        const written = Buffer.concat(judge.judge());
        const survey = judge
          .surveyed()
          // Kinds within objects are tested in `path-survey.spec.ts`.
          .filter(({ kind }) => !hasPaths(new Map([[kind, 1]])))
          .flatMap(({ field, kind, count, beyond }): [string, number][] => [
            [`${field}\n${kind}`, count],
            ...(beyond > 0 ? ([[`${field}\n${kind}\nbeyond`, beyond]] as [string, number][]) : []),
          ]);
        expect(new Map(survey)).toEqual(slow.survey);
        const changing = judge.changing().map(({ field, type }) => `${field}\n${type}`);
        expect(new Set(changing)).toEqual(slow.changing);
        expect(judge.isNew).toBe(job.refusedFields === undefined && slow.isNew);
        if (judge.isNew) return;
        const { refused } = judge;
        const records = Array.from(refused.lines, (line, index) => {
          const { from, to } = refused.textAt(index, bytes);
          return [line, lines.toString('latin1', from, to)];
        });
        expect(records).toEqual(slow.refused);
        expect(judge.accepted).toBe(slow.accepted.length);
        const wanted = slow.accepted.map(comparable);
        // Such a chunk is judged again, with its times in microseconds.
        expect(judge.wantsMicroseconds && !wanted.some(isAround1970)).toBe(false);
        if (judge.wantsMicroseconds) return;
        const found = recordsOf(written).map((each) =>
          times === 'microseconds' ? each : read(each),
        );
        expect(found.map((each, at) => asNear(each, wanted[at]))).toEqual(wanted);
      }),
      { numRuns: rounds(600, 200_000) },
    );
  }, 600_000);
});

type Members = readonly (readonly [string, Slow])[];

const isTime = ([name]: readonly [string, Slow]): boolean => name === '_timestamp';

/** Tells whether its microseconds would be taken for another unit. */
const isAround1970 = (members: Members): boolean =>
  members.some((member) => isTime(member) && Math.abs(microsOf(member[1])) <= 31_536_000_000_000);
const microsOf = (value: Slow): number => (value.is === 'number' ? Number(value.text) : Infinity);

/** With the time in microseconds that its number tells by its magnitude, as the engine reads it. */
const read = (members: Members): Members =>
  members.map((member) => {
    const micros = isTime(member) ? slowTime(member[1]) : undefined;
    if (!isTime(member)) return member;
    return [
      '_timestamp',
      micros === undefined || micros === null
        ? { is: 'null' }
        : { is: 'number', text: String(micros) },
    ];
  });

/** Puts members in the order of their names. */
const comparable = (members: Members): Members =>
  [...members].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

/** A time that is told as a float may be another microsecond: it has not all of them. */
const asNear = (members: Members, expected: Members = []): Members =>
  members.map(([name, value]): readonly [string, Slow] => {
    const wanted = expected.find(([other]) => other === name)?.[1];
    const isNear =
      name === '_timestamp' &&
      value.is === 'number' &&
      wanted?.is === 'number' &&
      Math.abs(Number(value.text) - Number(wanted.text)) <= 2;
    return [name, isNear ? wanted : value];
  });

function recordsOf(lines: Buffer): Members[] {
  return lines
    .toString('latin1')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const value = slowJson(Buffer.from(line, 'latin1'));
      return value?.is === 'object' ? comparable(value.members) : [];
    });
}
