import { MillraceError } from '@app/platform';

/** The folder of a Delta table, at any kind of place. */
export interface TableFolder {
  /** Names of the files directly in `_delta_log`. */
  logNames(): Promise<readonly string[]>;
  /**
   * @param path of a file, from the table's folder, decoded.
   * @returns undefined when there is no such file.
   */
  fetch(path: string): Promise<LocalCopy | undefined>;
}

/** A file at a place where the engine can read it. */
export interface LocalCopy {
  /** Absolute path without characters that the engine reads as a pattern. */
  readonly file: string;
  readonly bytes: number;
  /** Is called when the file is not needed any more. */
  readonly release: () => Promise<void>;
}

export const LOG = '_delta_log';

/** The table cannot be read as its own log describes it. */
export const brokenTable = (reason: string, cause?: unknown): MillraceError =>
  new MillraceError('MALFORMED_BODY', `broken Delta table: ${reason}`, { cause });

/**
 * A file that the log needs.
 * @throws {MillraceError} MALFORMED_BODY when it is not there, or not as long as the log says.
 */
export async function fetchNeeded(
  folder: TableFolder,
  path: string,
  bytes?: number | null,
): Promise<LocalCopy> {
  const copy = await folder.fetch(path);
  if (!copy) throw brokenTable(`${path} is missing`);
  if (bytes !== undefined && bytes !== null && copy.bytes !== bytes)
    throw brokenTable(`${path} has ${copy.bytes} bytes, the log says ${bytes}`);
  return copy;
}

/**
 * The path of a file from the table's folder, as the log has it.
 * @throws {MillraceError} MALFORMED_BODY when it leads out of the folder.
 */
export function pathInTable(encoded: string): string {
  const outside = brokenTable(
    `the log names ${JSON.stringify(encoded)}, which is not in the table's folder`,
  );
  if (/^[a-z][a-z0-9+.-]*:/i.test(encoded)) throw outside;
  let path: string;
  try {
    path = decodeURIComponent(encoded);
  } catch (error) {
    throw brokenTable(`the log names ${JSON.stringify(encoded)}, which is no URL path`, error);
  }
  const segments = path.split('/');
  if (
    path.includes('\0') ||
    path.includes('\\') ||
    segments.some((segment) => segment === '' || segment === '.' || segment === '..')
  )
    throw outside;
  return path;
}
