import { z } from 'zod';

/** Checkpoints have null where commits leave a field out. */
const text = z.string().nullish();
const count = z.number().int().nonnegative();

const deletionVector = z.object({
  storageType: z.string(),
  pathOrInlineDv: z.string(),
  offset: count.nullish(),
  sizeInBytes: count,
  cardinality: count,
});

/** Says which of a file's rows are deleted. */
export type DeletionVector = z.infer<typeof deletionVector>;

/**
 * Treats an action whose field is null as absent, because a checkpoint writes absent actions so.
 */
const orNothing = <Schema extends z.ZodType>(field: string, schema: Schema) =>
  z.preprocess(
    (value) =>
      (value as Record<string, unknown> | null | undefined)?.[field] === null ? undefined : value,
    schema.nullish(),
  );

const fileKey = {
  path: z.string(),
  deletionVector: orNothing('storageType', deletionVector),
};

const add = z.object({
  ...fileKey,
  partitionValues: z.record(z.string(), text).nullish(),
  size: count,
});

/** A data file of the table. */
export type AddFile = z.infer<typeof add>;

const metaData = z.object({
  id: z.string(),
  format: z.object({ provider: z.string() }).nullish(),
  schemaString: z.string(),
  partitionColumns: z.array(z.string()).nullish(),
  configuration: z.record(z.string(), text).nullish(),
});
export type MetaData = z.infer<typeof metaData>;

const protocol = z.object({
  minReaderVersion: count,
  readerFeatures: z.array(z.string()).nullish(),
});
export type Protocol = z.infer<typeof protocol>;

const sidecar = z.object({ path: z.string(), sizeInBytes: count });

/** A line of the log: the actions that decide which rows a table has. */
export const logLine = z.object({
  add: orNothing('path', add),
  remove: orNothing('path', z.object(fileKey)),
  metaData: orNothing('id', metaData),
  protocol: orNothing('minReaderVersion', protocol),
  sidecar: orNothing('path', sidecar),
});
export type LogLine = z.infer<typeof logLine>;

/**
 * The fields of each action that a checkpoint is read for. The statistics beside them are not read,
 * since they have any column's name.
 */
export const ACTION_FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({ add, metaData, protocol, sidecar }).map(([action, { shape }]) => [
    action,
    Object.keys(shape),
  ]),
);

/** Identifies a file in the log. The same data file with other deletions is a different one. */
export function fileId({
  path,
  deletionVector: vector,
}: Pick<AddFile, 'path' | 'deletionVector'>): string {
  if (!vector) return path;
  return [path, vector.storageType, vector.pathOrInlineDv, vector.offset ?? ''].join('\n');
}
