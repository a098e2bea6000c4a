import { readFile } from 'node:fs/promises';
import { unlessGone, writeDurably } from '@app/files';
import { explainIssues, MillraceError, OperatorError } from '@app/platform';
import { z } from 'zod';
import { printTable } from '../describe/print-table.js';
import { tableEntry } from '../describe/table-entry.js';
import type { DescribedTable } from '../table-description.js';

/** The tables that were registered and dropped at run time. */
export interface KeptState {
  readonly tables: readonly DescribedTable[];
  /** Names of tables of the command line or the configuration that were dropped. */
  readonly dropped: readonly string[];
}

const EMPTY: KeptState = { tables: [], dropped: [] };
const stateFile = z.strictObject({
  version: z.literal(1),
  tables: z.array(tableEntry),
  dropped: z.array(z.string()),
});

/** @throws {Error} that names the file, if it exists and is not valid */
export async function readState(path: string): Promise<KeptState> {
  const text = await unlessGone(readFile(path, 'utf8'), undefined);
  if (text === undefined) return EMPTY;
  try {
    const read = stateFile.safeParse(JSON.parse(text));
    if (read.success) return read.data;
    throw new OperatorError(explainIssues(read.error));
  } catch (error) {
    throw new OperatorError(`--state ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Replaces the file as a whole. It may hold passwords, so only its owner can read it.
 * @throws {MillraceError} DISK_FULL that names the file
 */
export async function writeState(path: string, state: KeptState): Promise<void> {
  try {
    const content = { version: 1, tables: state.tables.map(printTable), dropped: state.dropped };
    await writeDurably(path, `${JSON.stringify(content, undefined, 2)}\n`);
  } catch (error) {
    throw new MillraceError(
      'DISK_FULL',
      `nothing has changed, for it could not be kept: --state ${path}: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
