import type { Decider } from '@app/event-store';
import { MillraceError } from '@app/platform';
import type { Column } from '@app/warehouse';
import { ColumnNeighbours } from './column-neighbours.js';
import {
  declarableName,
  holdsBeyondFloat,
  isText,
  typeForKinds,
  widen,
  type Kinds,
} from './column-types.js';
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
  };
}

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
  | { readonly type: 'create'; readonly stream: StreamCreated['data'] }
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
    }
  | { readonly type: 'delete' };

/** What was seen in each field. */
export type Survey = ReadonlyMap<string, Kinds>;

export interface StreamState {
  readonly stream: StreamCreated['data'] | undefined;
  /** Without `_timestamp`. */
  readonly columns: readonly Column[];
  /** Columns that never widen. All others of integers hold none that a float would round. */
  readonly exact: readonly string[];
  readonly version: number;
  readonly settings: StreamSettings;
  readonly deleted: boolean;
}

/** More would cost every query; a record that needs more is rejected. */
export const COLUMNS_MAX = 2000;

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
        return { ...state, stream: event.data };
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
      return state.stream ? [] : [{ type: 'StreamCreated', data: command.stream }];
    const { stream } = state;
    if (!stream || state.deleted) throw new MillraceError('STREAM_NOT_FOUND', 'stream not found');
    switch (command.type) {
      case 'evolve':
        return evolveSchema(stream.id, state, command.survey, command.released);
      case 'change-settings':
        return changeSettings(stream.id, state, command);
      case 'delete':
        return [{ type: 'StreamDeleted', data: { id: stream.id } }];
    }
  },
};

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
  { change, declared }: Extract<StreamCommand, { type: 'change-settings' }>,
): readonly StreamEvent[] {
  const added = declaredColumns(state.columns, declared);
  const columns = [...state.columns, ...added];
  const settings = changedSettings(state.settings, change);
  checkKeys(columns, settings);
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

/**
 * Whether a new stream could begin with these settings: asked before it is made, so that what is
 * refused makes none.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function checkFirstSettings(change: SettingsChange, declared: readonly Column[]): void {
  changeSettings('', streamAggregate.initialState, { type: 'change-settings', change, declared });
}

/** Those that are not there yet. A column that is there keeps its type: its rows have it. */
function declaredColumns(
  columns: readonly Column[],
  declared: readonly Column[],
): readonly Column[] {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const neighbours = new ColumnNeighbours(columns);
  const added: Column[] = [];
  for (const { name, type } of declared) {
    const now = types.get(name);
    if (now === type) continue;
    if (now !== undefined)
      throw invalid(
        `columns: ${JSON.stringify(name)} is ${declarableName(now)} already, and cannot become ${declarableName(type)}; declare types before the first value`,
      );
    const problem = fieldNameProblem(name);
    if (problem) throw invalid(`columns: a column ${problem}`);
    const clash = neighbours.problemWith({ name, type });
    if (clash) throw invalid(`columns: ${JSON.stringify(name)} ${clash}`);
    added.push({ name, type });
    neighbours.add({ name, type });
  }
  if (columns.length + added.length > COLUMNS_MAX)
    throw invalid(`columns: a stream has at most ${COLUMNS_MAX}`);
  return added;
}

function checkKeys(columns: readonly Column[], settings: Partial<StreamSettings>): void {
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  for (const name of settings.fullTextSearchKeys ?? []) {
    const type = types.get(name);
    if (type === undefined || !isText(type))
      throw invalid(`full_text_search_keys: ${JSON.stringify(name)} is not a Utf8 column of it`);
  }
  for (const name of settings.partitionKeys ?? []) {
    const type = types.get(name);
    if (type === undefined || !type.startsWith('Nullable('))
      throw invalid(
        `partition_keys: ${JSON.stringify(name)} is not a column of single values of it`,
      );
  }
}

const invalid = (message: string): MillraceError => new MillraceError('INVALID_PARAMETER', message);

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
