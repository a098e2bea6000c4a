import {
  hasBeyondFloat,
  integer,
  isPlain,
  isWithinLimits,
  slowJson,
  slowKind,
  sourceOf,
  type Slow,
} from './slow-json.js';
import { isKeptInMixed, isKeptInObjects } from './slow-nesting.js';
import { slowTime } from './slow-time.js';

interface SlowColumn {
  readonly name: string;
  readonly type: string;
  readonly verbatim?: 'scalars' | 'arrays' | undefined;
}

interface SlowJob {
  readonly columns: readonly SlowColumn[];
  readonly exact: readonly string[];
  readonly fieldsMax: number;
  readonly acceptedAt: number;
  readonly keptFrom: number | undefined;
}

type Members = readonly (readonly [string, Slow])[];

/**
 * A judge of records must reach these verdicts, line by line. This one is simple and does not try
 * to be fast.
 */
interface SlowVerdicts {
  /** Numbers of the lines that are refused, with their records. */
  readonly refused: readonly (readonly [line: number, record: string])[];
  /** Members of the records that are accepted, as they are to be stored. */
  readonly accepted: readonly Members[];
  /** Number of values by field, kind, and whether they have an integer beyond floats. */
  readonly survey: ReadonlyMap<string, number>;
  /** Fields with the types of columns that would change one of their arrays. */
  readonly changing: ReadonlySet<string>;
  readonly isNew: boolean;
}

export function slowVerdicts(bytes: Buffer, job: SlowJob): SlowVerdicts {
  const refused: [number, string][] = [];
  const accepted: Members[] = [];
  const survey = new Map<string, number>();
  const changing = new Set<string>();
  const count = (key: string): void => void survey.set(key, (survey.get(key) ?? 0) + 1);
  let isNew = false;
  for (const [index, line] of linesOf(bytes).entries()) {
    if (line.length === 0) continue;
    const value = slowJson(line);
    const members = value?.is === 'object' ? value.members : [];
    const isRecord = value?.is === 'object' && members.length <= job.fieldsMax && isReadable(value);
    if (isRecord) {
      for (const [name, each] of members) {
        if (name === '_timestamp') continue;
        count(`${name}\n${slowKind(each)}`);
        if (hasBeyondFloat(each)) count(`${name}\n${slowKind(each)}\nbeyond`);
        if (each.is === 'array' && !isKeptInObjects(each)) changing.add(`${name}\nArray(JSON)`);
        if (each.is === 'array' && !isKeptInMixed(each)) changing.add(`${name}\nArray(Dynamic)`);
        isNew ||= mayChange(name, each, job);
      }
    }
    const stored = isRecord ? storedMembers(members, job) : undefined;
    if (stored) accepted.push(stored);
    else refused.push([index + 1, line.toString('latin1')]);
  }
  return { refused, accepted, survey, changing, isNew };
}

/** Lists the lines without the blanks around them. */
function linesOf(bytes: Buffer): Buffer[] {
  return bytes
    .toString('latin1')
    .split('\n')
    .map((line) => Buffer.from(line.replace(/^[ \t\r]+|[ \t\r]+$/g, ''), 'latin1'));
}

/** Top-level names may come twice: then the record is one, but not stored. */
const isReadable = (value: Slow & { is: 'object' }): boolean =>
  value.members.every(([name, each]) =>
    isWithinLimits({ is: 'object', members: [[name, each]], spelled: [] }),
  );

function mayChange(name: string, value: Slow, { columns, exact }: SlowJob): boolean {
  const kind = slowKind(value);
  const column = columns.find((each) => each.name === name);
  if (!column) return kind !== 'None' && kind !== 'Array(Nothing)';
  const isList = column.type.startsWith('Array(');
  if (!column.type.includes('Int64') || column.type.includes('UInt64')) return false;
  const ofKind = (inner: string): string => (isList ? `Array(Nullable(${inner}))` : inner);
  return (
    kind === ofKind('Float64') ||
    (kind === ofKind('Int64') && hasBeyondFloat(value) && !exact.includes(name))
  );
}

/** @returns undefined when it is refused */
function storedMembers(members: Members, job: SlowJob): Members | undefined {
  if (new Set(members.map(([name]) => name)).size < members.length) return undefined;
  const others = members.filter(([name]) => name !== '_timestamp');
  const columns = new Map(job.columns.map((column) => [column.name, column]));
  if (!others.every(([name, value]) => takes(columns.get(name), value))) return undefined;
  const [own, other] = ['_timestamp', '@timestamp'].map(
    (wanted) => members.find(([name]) => name === wanted)?.[1],
  );
  const told = own ? slowTime(own) : null;
  if (told === undefined) return undefined;
  const instead = told === null && other ? slowTime(other) : null;
  if (instead === undefined) return undefined;
  const time = told ?? instead;
  if (job.keptFrom !== undefined && (time ?? BigInt(job.acceptedAt)) < BigInt(job.keptFrom))
    return undefined;
  const written: Slow = time === null ? { is: 'null' } : { is: 'number', text: String(time) };
  return [
    ...(own || time !== null ? ([['_timestamp', written]] as const) : []),
    ...others.map(([name, value]) => [name, rewritten(columns.get(name), value)] as const),
  ];
}

/** Tells whether a column takes a value without loss; no column takes a value without content. */
function takes({ type, verbatim }: Partial<SlowColumn> = {}, value: Slow): boolean {
  const isEmpty = value.is === 'array' && value.elements.every(({ is }) => is === 'null');
  if (value.is === 'null') return true;
  if (type === undefined) return isEmpty;
  if (verbatim) return value.is !== 'object' && (value.is === 'array') === (verbatim === 'arrays');
  const inner = /^Array\((.*)\)$/.exec(type)?.[1];
  if (inner === undefined) return takesScalar(type, value);
  if (value.is !== 'array') return false;
  if (inner === 'Dynamic') return isKeptInMixed(value);
  return value.elements.every(
    (each) => (each.is === 'null' && inner !== 'JSON') || takesScalar(inner, each),
  );
}

function takesScalar(type: string, value: Slow): boolean {
  if (type === 'JSON') return value.is === 'object' && isKeptInObjects(value);
  if (type === 'Nullable(Bool)') return value.is === 'true' || value.is === 'false';
  if (type === 'Nullable(String)') return value.is === 'text';
  if (value.is !== 'number') return false;
  const number = integer(value.text);
  if (type === 'Nullable(Float64)')
    return !isPlain(value.text) || (number !== undefined && !hasBeyondFloat(value));
  if (type === 'Nullable(Int64)') return slowKind(value) === 'Int64';
  return slowKind(value) !== 'Float64' && number !== undefined && number >= 0n;
}

/** Integers of integer columns are written as such, and as texts what a column has as it is written. */
function rewritten(column: SlowColumn | undefined, value: Slow): Slow {
  if (column?.verbatim) return written(value);
  if (!column?.type.includes('Int64')) return value;
  if (value.is === 'array')
    return { is: 'array', elements: value.elements.map((each) => rewritten(column, each)) };
  return value.is === 'number' ? { is: 'number', text: String(integer(value.text)) } : value;
}

function written(value: Slow): Slow {
  if (value.is === 'null' || value.is === 'text') return value;
  if (value.is === 'number') return { is: 'text', text: value.text };
  return { is: 'text', text: value.is === 'array' ? sourceOf(value) : value.is };
}
