import { brokenTable } from '../sources/table-folder.js';

/** Files of a log that together describe a table at a version. */
interface LogSegment {
  readonly version: number;
  /**
   * The files of the checkpoint, which replace all commits before. Without a checkpoint, the
   * commits begin with the table.
   */
  readonly checkpoint: readonly string[];
  /** The files are in order. */
  readonly commits: readonly string[];
}

const COMMIT = /^(\d{20})\.json$/;
const CHECKPOINT =
  /^(\d{20})\.checkpoint\.(?:parquet|(\d{10})\.(\d{10})\.parquet|[0-9a-fA-F-]{36}\.(?:json|parquet))$/;

/**
 * Chooses the files to read. The list of the log's files is complete; `_last_checkpoint` is a hint
 * for readers that cannot list, and may be outdated.
 * @param names of the files in the log.
 * @param wanted version; undefined: the newest.
 * @throws {MillraceError} MALFORMED_BODY when a file is missing.
 */
export function chooseSegment(names: readonly string[], wanted?: number): LogSegment {
  const commits = new Map(
    names.flatMap((name) => {
      const version = COMMIT.exec(name)?.[1];
      return version === undefined ? [] : [[Number(version), name]];
    }),
  );
  const checkpoints = completeCheckpoints(names);
  const newest = greatest([...commits.keys(), ...checkpoints.keys()]);
  if (newest < 0) throw brokenTable('there is no commit in _delta_log');
  const version = wanted ?? newest;
  if (version > newest)
    throw brokenTable(`there is no version ${version}; the newest is ${newest}`);
  const from = greatest([...checkpoints.keys()].filter((each) => each <= version));
  const needed: string[] = [];
  for (let each = from + 1; each <= version; each += 1) {
    const name = commits.get(each);
    if (name === undefined) throw brokenTable(missing(each));
    needed.push(name);
  }
  return { version, checkpoint: checkpoints.get(from) ?? [], commits: needed };
}

/** The greatest of the versions; -1 when there are none. */
const greatest = (versions: readonly number[]): number =>
  versions.reduce((most, version) => Math.max(most, version), -1);

const missing = (version: number): string =>
  `commit _delta_log/${String(version).padStart(20, '0')}.json is missing`;

/** Finds a complete checkpoint of each version. If there are several, any of them will do. */
function completeCheckpoints(names: readonly string[]): Map<number, readonly string[]> {
  const complete = new Map<number, readonly string[]>();
  const checkpoints = new Map<string, string[]>();
  for (const name of names) {
    const match = CHECKPOINT.exec(name);
    if (!match) continue;
    const [, version = '', nth, of] = match;
    if (nth === undefined) {
      complete.set(Number(version), [name]);
      continue;
    }
    const key = `${version}.${of ?? ''}`;
    const together = [...(checkpoints.get(key) ?? []), name];
    checkpoints.set(key, together);
    if (together.length === Number(of)) complete.set(Number(version), together);
  }
  return complete;
}
