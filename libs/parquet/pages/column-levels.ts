import type { FileHandle } from 'node:fs/promises';
import type { ColumnChunk } from './column-chunks.js';
import { columnPages, type Levels } from './column-pages.js';
import { bothRuns, levelRuns } from './levels.js';

/** Consecutive entries of a column. */
interface EntryRun {
  /** 0 means that the entry begins a row. */
  readonly repetition: number;
  /** 0 means that the structure around the column is null. */
  readonly definition: number;
  readonly count: number;
}

/**
 * Reads the levels of all entries of a column, page by page, without its values.
 * @throws {Error} when the footer describes it wrongly
 */
export async function* columnLevels(
  handle: FileHandle,
  chunk: ColumnChunk,
  most: Levels,
): AsyncGenerator<Iterable<EntryRun>> {
  for await (const { entries, read } of columnPages(handle, chunk, most)) {
    const { repetitions, definitions } = await read();
    yield runs(levelRuns(repetitions, most.repetition, entries), levelRuns(definitions, most.definition, entries)); // prettier-ignore
  }
}

function* runs(
  repetitions: ReturnType<typeof levelRuns>,
  definitions: ReturnType<typeof levelRuns>,
): Generator<EntryRun> {
  for (const { first, second, count } of bothRuns(repetitions, definitions))
    yield { repetition: first, definition: second, count };
}
