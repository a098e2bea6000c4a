import type { Decider } from '@app/event-store';
import { MillraceError } from '@app/platform';
import type { Column, WarehouseTable } from '@app/warehouse';
import { adopted, adoptedSchema, adoptedSettings } from './adopted-table.js';
import { checkKeys, declaredColumns } from './declared-columns.js';
import { pathFields } from './object-values.js';
import {
  changedSettings,
  DEFAULT_SETTINGS,
  type SettingsChange,
  type StreamSettings,
} from './stream-settings.js';
import {
  changeOf,
  evolved,
  NO_SCHEMA,
  withChange,
  type Schema,
  type SchemaChange,
  type Survey,
} from './stream-schema.js';

export type StreamEvent =
  StreamCreated | StreamSchemaEvolved | StreamSettingsChanged | StreamDeleted;

export interface StreamCreated {
  readonly type: 'StreamCreated';
  readonly data: {
    readonly id: string;
    readonly organizationId: string;
    readonly database: string;
    readonly name: string;
    /**
     * The columns at the stream's creation. They are absent if none were known. Stream and columns
     * are created together or not at all.
     */
    readonly columns?: SchemaChange['added'];
    readonly exact?: SchemaChange['exact'];
    readonly verbatim?: SchemaChange['verbatim'];
    readonly untyped?: SchemaChange['untyped'];
    readonly objects?: SchemaChange['objects'];
    readonly given?: SchemaChange['given'];
    readonly settings?: Partial<StreamSettings>;
  };
}

/** The fields that identify the stream. */
type StreamIdentity = Pick<StreamCreated['data'], 'id' | 'organizationId' | 'database' | 'name'>;

export interface StreamSchemaEvolved {
  readonly type: 'StreamSchemaEvolved';
  readonly data: SchemaChange & { readonly id: string };
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
      /** The columns and settings at its creation. */
      readonly beginning?: StreamChange;
    }
  | StreamChange
  /** Makes the stream match its table, when its events are lost. */
  | { readonly type: 'adopt'; readonly stream: StreamIdentity; readonly table: WarehouseTable }
  | { readonly type: 'delete' };

/** A change that a stream's creation may include. */
export type StreamChange =
  | {
      readonly type: 'evolve';
      readonly survey: Survey;
      /** Columns that were marked to keep their type, and need not any more. */
      readonly released?: readonly string[];
    }
  | {
      readonly type: 'change-settings';
      readonly change: SettingsChange;
      /** The columns with their new types. */
      readonly declared: readonly Column[];
      /** Refuses the change if it would delete rows, for a caller who may not delete any. */
      readonly keepsRows?: boolean;
    };

export interface StreamState extends Schema {
  readonly stream: StreamIdentity | undefined;
  readonly settings: StreamSettings;
  readonly deleted: boolean;
}

export const streamAggregate: Decider<StreamState, StreamCommand, StreamEvent> = {
  initialState: {
    stream: undefined,
    ...NO_SCHEMA,
    settings: DEFAULT_SETTINGS,
    deleted: false,
  },

  evolve(state, event) {
    switch (event.type) {
      case 'StreamCreated':
        return begin(state, event.data);
      case 'StreamSchemaEvolved':
        return { ...state, ...withChange(state, event.data) };
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
    if (command.type === 'adopt') return adopt(state, command.stream, command.table);
    const { stream } = state;
    if (!stream || state.deleted) throw new MillraceError('STREAM_NOT_FOUND', 'stream not found');
    return command.type === 'delete'
      ? [{ type: 'StreamDeleted', data: { id: stream.id } }]
      : change(stream.id, state, command);
  },
};

function begin(state: StreamState, created: StreamCreated['data']): StreamState {
  const {
    columns,
    exact = [],
    verbatim = [],
    untyped,
    objects,
    given,
    settings,
    ...stream
  } = created;
  return {
    ...state,
    stream,
    columns: columns ?? [],
    exact,
    verbatim,
    untyped: untyped ?? [],
    objects: objects ?? [],
    given: given ?? [],
    version: columns || untyped ? 1 : 0,
    settings: { ...state.settings, ...settings },
  };
}

/**
 * One event contains everything that the stream begins with, so that nobody sees the stream without
 * its columns, even after a crash.
 */
function create(
  nothing: StreamState,
  stream: StreamIdentity,
  beginning: StreamChange | undefined,
): StreamCreated {
  const changes = beginning ? change(stream.id, nothing, beginning) : [];
  const { columns, exact, verbatim, untyped, objects, given } = changes.reduce(
    streamAggregate.evolve,
    nothing,
  );
  const [settings] = changes.flatMap((each) =>
    each.type === 'StreamSettingsChanged' ? [each.data.settings] : [],
  );
  return {
    type: 'StreamCreated',
    data: {
      ...stream,
      ...(columns.length > 0 ? { columns } : {}),
      ...(exact.length > 0 ? { exact } : {}),
      ...(verbatim.length > 0 ? { verbatim } : {}),
      ...(untyped.length > 0 ? { untyped } : {}),
      ...(objects.length > 0 ? { objects } : {}),
      ...(given.length > 0 ? { given } : {}),
      ...(settings ? { settings } : {}),
    },
  };
}

function adopt(
  state: StreamState,
  stream: StreamIdentity,
  table: WarehouseTable,
): readonly StreamEvent[] {
  if (state.deleted) return [];
  if (!state.stream) {
    const { columns, exact, untyped, settings } = adopted(table);
    const data = { ...stream, columns, exact, untyped, settings };
    return [{ type: 'StreamCreated', data }];
  }
  const { id } = state.stream;
  const [schema, settings] = [adoptedSchema(state, table), adoptedSettings(state, table)];
  return [
    ...(schema ? [{ type: 'StreamSchemaEvolved' as const, data: { id, ...schema } }] : []),
    ...(settings ? [{ type: 'StreamSettingsChanged' as const, data: { id, settings } }] : []),
  ];
}

const change = (id: string, state: StreamState, wanted: StreamChange): readonly StreamEvent[] =>
  wanted.type === 'evolve'
    ? evolveSchema(id, evolved(state, wanted.survey, wanted.released))
    : changeSettings(id, state, wanted);

const evolveSchema = (id: string, change: SchemaChange | undefined): StreamSchemaEvolved[] =>
  change ? [{ type: 'StreamSchemaEvolved', data: { id, ...change } }] : [];

function changeSettings(
  id: string,
  state: StreamState,
  { change: wanted, declared, keepsRows }: Extract<StreamCommand, { type: 'change-settings' }>,
): readonly StreamEvent[] {
  const change = changeOf(state, declaredColumns(state.columns, declared));
  const { columns } = withChange(state, change);
  const settings = changedSettings(state.settings, wanted);
  checkKeys([...columns, ...pathFields(state.objects)], settings);
  if (keepsRows && isShorter(settings.dataRetention, state.settings.dataRetention))
    throw new MillraceError(
      'FORBIDDEN',
      `data_retention: a shorter one deletes rows, which only an admin of the organization may; now it is ${daysOf(state.settings.dataRetention)}`,
    );
  return [
    ...(change.added.length + change.widened.length === 0
      ? []
      : [{ type: 'StreamSchemaEvolved' as const, data: { id, ...change } }]),
    ...(Object.keys(settings).length === 0
      ? []
      : [{ type: 'StreamSettingsChanged' as const, data: { id, settings } }]),
  ];
}

/** 0 days mean for ever. */
function isShorter(days: number | undefined, before: number): boolean {
  return days !== undefined && days !== 0 && (before === 0 || days < before);
}

const daysOf = (days: number): string => (days === 0 ? '0, which keeps all' : `${days} days`);

/**
 * Checks whether a new stream could begin with these settings. It is called before the stream is
 * made, so that refused settings create none.
 * @throws {MillraceError} INVALID_PARAMETER
 */
export function checkFirstSettings(change: SettingsChange, declared: readonly Column[]): void {
  changeSettings('', streamAggregate.initialState, { type: 'change-settings', change, declared });
}
