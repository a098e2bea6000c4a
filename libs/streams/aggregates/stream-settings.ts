/**
 * The settings that people make for a stream. A setting that is absent from an event is unchanged.
 */
export interface StreamSettings {
  /** Rows older than so many days are deleted; 0 keeps all. */
  readonly dataRetention: number;
  /** Text columns that full-text search looks into. */
  readonly fullTextSearchKeys: readonly string[];
  /** Columns with a skip index, for queries that compare them with single values. */
  readonly partitionKeys: readonly string[];
}

export const DEFAULT_SETTINGS: StreamSettings = {
  dataRetention: 0,
  fullTextSearchKeys: [],
  partitionKeys: [],
};

/** A new list, or the items to add and to remove. */
export type ListChange =
  readonly string[] | { readonly add?: readonly string[]; readonly remove?: readonly string[] };

export interface SettingsChange {
  readonly dataRetention?: number;
  readonly fullTextSearchKeys?: ListChange;
  readonly partitionKeys?: ListChange;
}

/** The settings that change. Lists are complete and without duplicates. */
export function changedSettings(
  before: StreamSettings,
  change: SettingsChange,
): Partial<StreamSettings> {
  const { dataRetention, fullTextSearchKeys, partitionKeys } = change;
  const after: StreamSettings = {
    dataRetention: dataRetention ?? before.dataRetention,
    fullTextSearchKeys: changedList(before.fullTextSearchKeys, fullTextSearchKeys),
    partitionKeys: changedList(before.partitionKeys, partitionKeys),
  };
  const changed = Object.entries(after).filter(
    ([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(before[name as keyof StreamSettings]),
  );
  return Object.fromEntries(changed);
}

function changedList(before: readonly string[], change: ListChange | undefined): readonly string[] {
  if (change === undefined) return before;
  if (isList(change)) return [...new Set(change)];
  const { add = [], remove = [] } = change;
  const kept = [...before, ...add].filter((name) => !remove.includes(name));
  return [...new Set(kept)];
}

const isList = (change: ListChange): change is readonly string[] => Array.isArray(change);
