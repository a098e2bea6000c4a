import type { Decider } from '@app/event-store';
import type { Column } from '@app/warehouse';
import { typeForKinds, widen, type Kinds } from './column-types.js';
import { fieldNameProblem } from './names.js';

export type StreamEvent = StreamCreated | StreamSchemaEvolved;

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
    /** 1 for the first change. */
    readonly version: number;
  };
}

export type StreamCommand =
  | { readonly type: 'create'; readonly stream: StreamCreated['data'] }
  | { readonly type: 'evolve'; readonly survey: Survey };

/** What was seen in each field. */
export type Survey = ReadonlyMap<string, Kinds>;

export interface StreamState {
  readonly stream: StreamCreated['data'] | undefined;
  /** Without `_timestamp`. */
  readonly columns: readonly Column[];
  readonly version: number;
}

/** More would cost every query; a record that needs more is rejected. */
export const COLUMNS_MAX = 2000;

export const streamAggregate: Decider<StreamState, StreamCommand, StreamEvent> = {
  initialState: { stream: undefined, columns: [], version: 0 },

  evolve(state, event) {
    switch (event.type) {
      case 'StreamCreated':
        return { ...state, stream: event.data };
      case 'StreamSchemaEvolved': {
        const { added, widened, version } = event.data;
        const types = new Map(widened.map(({ name, type }) => [name, type]));
        const kept = state.columns.map(({ name, type }) => ({
          name,
          type: types.get(name) ?? type,
        }));
        return { ...state, columns: [...kept, ...added], version };
      }
    }
  },

  decide(state, command) {
    switch (command.type) {
      case 'create':
        return state.stream ? [] : [{ type: 'StreamCreated', data: command.stream }];
      case 'evolve':
        return evolveSchema(state, command.survey);
    }
  },
};

function evolveSchema(
  { stream, columns, version }: StreamState,
  survey: Survey,
): readonly StreamSchemaEvolved[] {
  if (!stream) return [];
  const types = new Map(columns.map(({ name, type }) => [name, type]));
  const added: Column[] = [];
  const widened: Column[] = [];
  for (const [name, kinds] of survey) {
    const now = types.get(name);
    const type = now === undefined ? typeForKinds(kinds) : widen(now, kinds);
    if (type === undefined) continue;
    if (now !== undefined) widened.push({ name, type });
    else if (fieldNameProblem(name) === undefined && columns.length + added.length < COLUMNS_MAX)
      added.push({ name, type });
  }
  if (added.length + widened.length === 0) return [];
  return [
    { type: 'StreamSchemaEvolved', data: { id: stream.id, added, widened, version: version + 1 } },
  ];
}

/** Why fields of a survey have not become columns, by field; empty when all have that could. */
export function refusedFields(
  columns: readonly Column[],
  survey: Survey,
): ReadonlyMap<string, string> {
  const known = new Set(columns.map((column) => column.name));
  const refused = new Map<string, string>();
  for (const [name, kinds] of survey) {
    if (known.has(name) || name === '_timestamp' || typeForKinds(kinds) === undefined) continue;
    refused.set(
      name,
      fieldNameProblem(name) ?? `is beyond the ${COLUMNS_MAX} columns a stream can have`,
    );
  }
  return refused;
}
