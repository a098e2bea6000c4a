import type { Decider } from '@app/event-store';
import { MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { ColumnNeighbours } from './column-neighbours.js';
import { holdsBeyondFloat, typeForKinds, widen, type Kinds } from './column-types.js';
import { checkKeys, COLUMNS_MAX, declaredColumns } from './declared-columns.js';
import { fieldNameProblem } from './names.js';
import {
  changedSettings,
  DEFAULT_SETTINGS,
  type SettingsChange,
  type StreamSettings,
} from './stream-settings.js';

export type StreamEvent =
  StreamCreated | StreamSchemaEvolved | StreamSettingsChanged | StreamDeleted;

export interface StreamCreated {
  readonly type: 'StreamCreated';
  readonly data: {
    readonly id: string;
    readonly organizationId: string;
    readonly database: string;
    readonly name: string;
    /** What it begins with; absent where nothing was known of it. So it is there with them or not at all. */
    readonly columns?: readonly Column[];
    readonly exact?: readonly string[];
    readonly settings?: Partial<StreamSettings>;
  };
}

/** Which stream it is. */
export type StreamIdentity = Pick<
  StreamCreated['data'],
  'id' | 'organizationId' | 'database' | 'name'
>;

export interface StreamSchemaEvolved {
  readonly type: 'StreamSchemaEvolved';
  readonly data: {
    readonly id: string;
    readonly added: readonly Column[];
    readonly widened: readonly Column[];
    /** Columns of integers that keep that type, since they get some that floats would round. */
    readonly exact?: readonly string[];
    /** 1 for the first change. */
    readonly version: number;
  };
}

export interface StreamSettingsChanged {
  readonly type: 'StreamSettingsChanged';
  readonly data: { readonly id: string; readonly settings: Partial<StreamSettings> };
}

export interface StreamDeleted {
  readonly type: 'StreamDeleted';
  readonly data: { readonly id: string };
}

export type StreamCommand =
  | {
      readonly type: 'create';
      readonly stream: StreamIdentity;
      /** What it shall begin with. */
      readonly beginning?: StreamChange;
    }
  | StreamChange
  | { readonly type: 'delete' };

/** What may also be asked of a stream that is being made. */
export type StreamChange =
  | {
      readonly type: 'evolve';
      readonly survey: Survey;
      /** Columns that were to keep their type, and need not any more. */
      readonly released?: readonly string[];
    }
  | {
      readonly type: 'change-settings';
      readonly change: SettingsChange;
      /** Columns with the types they shall have. */
      readonly declared: readonly Column[];
      /** Refused when rows would go by it: who asks may not delete any. */
      readonly keepsRows?: boolean;
    };

/** What was seen in each field. */
export type Survey = ReadonlyMap<string, Kinds>;

export interface StreamState {
  readonly stream: StreamIdentity | undefined;
  /** Without `_timestamp`. */
  readonly columns: readonly Column[];
  /** Columns that never widen. All others of integers hold none that a float would round. */
  readonly exact: readonly string[];
  readonly version: number;
  readonly settings: StreamSettings;
  readonly deleted: boolean;
}

export const streamAggregate: Decider<StreamState, StreamCommand, StreamEvent> = {
  initialState: {
    stream: undefined,
    columns: [],
    exact: [],
    version: 0,
    settings: DEFAULT_SETTINGS,
    deleted: false,
  },

  evolve(state, event) {
    switch (event.type) {
      case 'StreamCreated':
        return begin(state, event.data);
      case 'StreamSchemaEvolved': {
        const { added, widened, exact = [], version } = event.data;
        const types = new Map(widened.map(({ name, type }) => [name, type]));
        const kept = state.columns.map(({ name, type }) => ({
          name,
          type: types.get(name) ?? type,
        }));
        const columns = [...kept, ...added];
        return { ...state, columns, exact: [...state.exact, ...exact], version };
      }
      case 'StreamSettingsChanged':
        return { ...state, settings: { ...state.settings, ...event.data.settings } };
      case 'StreamDeleted':
        return { ...state, deleted: true };
      default:
        return state;
    }
  },

  decide(state, command) {
    if (command.type === 'create')
      return state.stream ? [] : [create(state, command.stream, command.beginning)];
    const { stream } = state;
    if (!stream || state.deleted) throw new MillraceError('STREAM_NOT_FOUND', 'stream not found');
    return command.type === 'delete'
      ? [{ type: 'StreamDeleted', data: { id: stream.id } }]
      : change(stream.id, state, command);
  },
};

function begin(state: StreamState, created: StreamCreated['data']): StreamState {
  const { columns, exact = [], settings, ...stream } = created;
  return {
    ...state,
    stream,
    columns: columns ?? [],
    exact,
    version: columns ? 1 : 0,
    settings: { ...state.settings, ...settings },
  };
}

/** One event for all that it begins with: nobody sees it, or finds it after a crash, without its columns. */
function create(
  nothing: StreamState,
  stream: StreamIdentity,
  beginning: StreamChange | undefined,
): StreamCreated {
  const changes = beginning ? change(stream.id, nothing, beginning) : [];
  const { columns, exact } = changes.reduce(streamAggregate.evolve, nothing);
  const [settings] = changes.flatMap((each) =>
    each.type === 'StreamSettingsChanged' ? [each.data.settings] : [],
  );
  return {
    type: 'StreamCreated',
    data: {
      ...stream,
      ...(columns.length > 0 ? { columns } : {}),
      ...(exact.length > 0 ? { exact } : {}),
      ...(settings ? { settings } : {}),
    },
  };
}

const change = (id: string, state: StreamState, wanted: StreamChange): readonly StreamEvent[] =>
  wanted.type === 'evolve'
    ? evolveSchema(id, state, wanted.survey, wanted.released)
    : changeSettings(id, state, wanted);

/** Whether an event would be made of it. */
export const changesSchema = (
  { id, ...state }: SchemaState & { readonly id: string },
  survey: Survey,
): boolean => evolveSchema(id, state, survey).length > 0;

type SchemaState = Pick<StreamState, 'columns' | 'exact' | 'version'>;

function evolveSchema(
  id: string,
  { columns, exact: known, version }: SchemaState,
  survey: Survey,
  released: readonly string[] = [],
): readonly StreamSchemaEvolved[] {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const neighbours = new ColumnNeighbours(columns);
  const added: Column[] = [];
  const widened: Column[] = [];
  const exact: string[] = [];
  for (const [name, kinds] of survey) {
    const now = types.get(name);
    if (known.includes(name) && !released.includes(name)) continue;
    const wider = now === undefined ? undefined : widen(now, kinds);
    const type = now === undefined ? typeForKinds(kinds) : (wider ?? now);
    if (type === undefined) continue;
    if (wider !== undefined) widened.push({ name, type });
    else if (now === undefined) {
      if (fieldNameProblem(name) !== undefined) continue;
      if (columns.length + added.length >= COLUMNS_MAX) continue;
      if (neighbours.problemWith({ name, type }) !== undefined) continue;
      added.push({ name, type });
      neighbours.add({ name, type });
    }
    if (holdsBeyondFloat(type, kinds)) exact.push(name);
  }
  if (added.length + widened.length + exact.length === 0) return [];
  const kept = exact.length === 0 ? {} : { exact };
  const data = { id, added, widened, ...kept, version: version + 1 };
  return [{ type: 'StreamSchemaEvolved', data }];
}

function changeSettings(
  id: string,
  state: StreamState,
  { change, declared, keepsRows }: Extract<StreamCommand, { type: 'change-settings' }>,
): readonly StreamEvent[] {
  const added = declaredColumns(state.columns, declared);
  const columns = [...state.columns, ...added];
  const settings = changedSettings(state.settings, change);
  checkKeys(columns, settings);
  if (keepsRows && isShorter(settings.dataRetention, state.settings.dataRetention))
    throw new MillraceError(
      'FORBIDDEN',
      `data_retention: a shorter one deletes rows, which only an admin of the organization may; now it is ${daysOf(state.settings.dataRetention)}`,
    );
  return [
    ...(added.length === 0
      ? []
      : [
          {
            type: 'StreamSchemaEvolved' as const,
            data: { id, added, widened: [], version: state.version + 1 },
          },
        ]),
    ...(Object.keys(settings).length === 0
      ? []
      : [{ type: 'StreamSettingsChanged' as const, data: { id, settings } }]),
  ];
}

/** 0 days are all. */
function isShorter(days: number | undefined, before: number): boolean {
  return days !== undefined && days !== 0 && (before === 0 || days < before);
}

const daysOf = (days: number): string => (days === 0 ? '0, which keeps all' : `${days} days`);

/**
 * Whether a new stream could begin with these settings: asked before it is made, so that what is
 * refused makes none.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function checkFirstSettings(change: SettingsChange, declared: readonly Column[]): void {
  changeSettings('', streamAggregate.initialState, { type: 'change-settings', change, declared });
}

/** Why fields of a survey have not become columns, by field; empty when all have that could. */
export function refusedFields(
  columns: readonly Column[],
  survey: Survey,
): ReadonlyMap<string, string> {
  const known = new Set(columns.map((column) => column.name));
  const neighbours = new ColumnNeighbours(columns);
  const refused = new Map<string, string>();
  for (const [name, kinds] of survey) {
    const type = typeForKinds(kinds);
    if (known.has(name) || name === '_timestamp' || type === undefined) continue;
    refused.set(
      name,
      fieldNameProblem(name) ??
        neighbours.problemWith({ name, type }) ??
        `is beyond the ${COLUMNS_MAX} columns a stream can have`,
    );
  }
  return refused;
}
