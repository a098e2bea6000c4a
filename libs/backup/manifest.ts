import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { OperatorError } from '@app/platform';

/** A backup is whole when it has this file, which is written last. */
export const MANIFEST = 'manifest.json';
/** The folder with the engine's own backup of the tables. */
export const TABLES = 'tables';
/** The folder that becomes the data directory. */
export const FILES = 'data';
const FORMAT = 1;

const manifestSchema = z.object({
  format: z.literal(FORMAT),
  /** The version of the program that made it. */
  millrace: z.string(),
  /** Everything that was acknowledged before this time is in the backup. */
  begunAt: z.string(),
  endedAt: z.string(),
  /** The position of the last event that is certainly in it. */
  position: z.string(),
  /** It is absent when there were no tables. */
  tables: z
    .object({
      /** The name of the backup that has the unchanged files. */
      base: z.string().optional(),
    })
    .optional(),
  /** Tables that the engine could not load then, and that are in an earlier backup at best. */
  lacks: z.array(z.string()).default([]),
  /** All files below `data`. */
  files: z.array(z.object({ path: z.string(), bytes: z.number(), sha256: z.string() })),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const newManifest = (of: Omit<Manifest, 'format'>): Manifest => ({ format: FORMAT, ...of });

/** @throws {Error} that names the folder, when it is no backup or not a whole one */
export function readManifest(backup: string): Manifest {
  const name = basename(backup);
  const file = join(backup, MANIFEST);
  if (!existsSync(backup)) throw new OperatorError(`there is no backup ${backup}`);
  if (!existsSync(file))
    throw new OperatorError(
      `the backup ${name} is not whole: it has no ${MANIFEST}, which is written last, so its making was broken off, or is going on. Take another one; this one can be removed`,
    );
  const parsed = manifestSchema.safeParse(jsonOf(file));
  if (!parsed.success)
    throw new OperatorError(
      `the backup ${name} cannot be read: its ${MANIFEST} is damaged, or of a newer Millrace`,
    );
  return parsed.data;
}

function jsonOf(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
