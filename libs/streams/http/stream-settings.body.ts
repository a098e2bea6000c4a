import { z } from 'zod';
import type { Column } from '@app/warehouse';
import type { ListChange, SettingsChange } from '../aggregates/stream-settings.js';
import { DECLARABLE_NAMES, declaredType } from '../aggregates/declared-type-names.js';
import { ORDER_BY } from './stream-records.js';

/** The limit is a hundred years, because the engine's times end beyond that. */
const RETENTION_DAYS_MAX = 36_500;
const KEYS_MAX = 100;

const names = z.array(z.string().min(1)).max(KEYS_MAX);
const list = z.union(
  [
    names,
    z.strictObject({ add: names.optional(), remove: names.optional() }),
    // OpenObserve's older clients write it so.
    z.record(z.string().regex(/^L\d+$/), z.string().min(1)),
  ],
  {
    error: `want an array of at most ${KEYS_MAX} column names, or {"add":[…],"remove":[…]}`,
  },
);

const columnType = z.string().transform((name, context) => {
  const type = declaredType(name);
  if (type !== undefined) return type;
  context.addIssue({
    code: 'custom',
    message: `no type ${JSON.stringify(name)} can be declared; want one of ${DECLARABLE_NAMES.join(', ')}`,
  });
  return z.NEVER;
});

/** The body of `POST …/settings`; absent settings stay as they are. */
export const settingsBody = z.strictObject({
  data_retention: z
    .number({ error: 'want whole days, 0 to keep all' })
    .int()
    .min(0)
    .max(RETENTION_DAYS_MAX, { error: `at most ${RETENTION_DAYS_MAX} days` })
    .optional(),
  full_text_search_keys: list.optional(),
  partition_keys: list.optional(),
  order_by: z
    .array(z.string())
    .refine((wanted) => JSON.stringify(wanted) === JSON.stringify(ORDER_BY), {
      error: `the sort key is ${JSON.stringify(ORDER_BY)}; another one would rebuild the table, which is not supported: make partition_keys of the columns you look for`,
    })
    .optional(),
  columns: z.record(z.string(), columnType).optional(),
});

type SettingsBody = z.infer<typeof settingsBody>;

export function toChange(body: SettingsBody): SettingsChange {
  return {
    ...(body.data_retention === undefined ? {} : { dataRetention: body.data_retention }),
    ...(body.full_text_search_keys === undefined
      ? {}
      : { fullTextSearchKeys: toListChange(body.full_text_search_keys) }),
    ...(body.partition_keys === undefined
      ? {}
      : { partitionKeys: toListChange(body.partition_keys) }),
  };
}

export function toColumns({ columns = {} }: SettingsBody): readonly Column[] {
  return Object.entries(columns).map(([name, type]) => ({ name, type }));
}

function toListChange(sent: NonNullable<SettingsBody['partition_keys']>): ListChange {
  if (Array.isArray(sent)) return sent;
  const { add, remove } = sent as { readonly add?: string[]; readonly remove?: string[] };
  if (add === undefined && remove === undefined && Object.keys(sent).length > 0)
    return Object.values(sent as Record<string, string>);
  return { ...(add ? { add } : {}), ...(remove ? { remove } : {}) };
}
