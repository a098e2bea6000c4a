import { link, rm, stat } from 'node:fs/promises';
import { engineType } from '../arrow-data-type.js';
import type { DescribedColumn } from '../table-description.js';
import { fetchedRows } from './follow-metrics.js';
import { extendsColumns } from './followed-columns.js';
import type { HostedOrganization } from './hosted-organization.js';
import type { LocalFiles } from './local-files.js';
import { advance, missing, planFetch, sameReaches, type Reaches } from './plan-fetch.js';
import type { StreamCache } from './stream-cache.js';

/** When there are more files, they are merged, because each costs every query an opening. */
const FILES_MAX = 64;
/** Files larger than this are not merged. */
const MERGED_BYTES_MAX = 64 * 1024 * 1024;

interface SyncDependencies {
  readonly hosted: HostedOrganization;
  readonly files: LocalFiles;
}

/**
 * Brings the cache of a stream to what the hosted side has: nothing where its validator says that
 * nothing has changed, else the rows of the batches that came since, and all anew where rows are
 * gone or columns have changed their types. Queries see the new state only when all of it has
 * arrived.
 * @returns whether anything has changed
 */
export async function syncStream(
  cache: StreamCache,
  columns: readonly DescribedColumn[],
  dependencies: SyncDependencies,
): Promise<boolean> {
  const isKnown = cache.isFilled && isSame(columns, cache.columns);
  const tag = await dependencies.hosted.tag(cache.stream, isKnown ? cache.tag : undefined);
  if (isKnown && tag !== undefined && tag === cache.tag) return false;
  const wanted = await dependencies.hosted.reaches(cache.stream);
  const target = { tag, columns, wanted };
  const extended =
    cache.isFilled &&
    extendsColumns(columns, cache.columns) &&
    (await extend(cache, target, dependencies));
  if (!extended) await renew(cache, target, dependencies);
  if (cache.files > FILES_MAX) await compact(cache, dependencies);
  return true;
}

interface Target {
  readonly tag: string | undefined;
  readonly columns: readonly DescribedColumn[];
  readonly wanted: Reaches;
}

/** @returns false when adding rows to the cache cannot bring it up to date. */
async function extend(
  cache: StreamCache,
  target: Target,
  dependencies: SyncDependencies,
): Promise<boolean> {
  const drafts = new Drafts(cache);
  try {
    const reaches = await fetchRows(cache.stream, cache.reaches, target, drafts, dependencies);
    if (!sameReaches(reaches, target.wanted)) return false;
    await insistOnColumns(cache.stream, target, dependencies);
    const { tag, columns } = target;
    if (drafts.files.length === 0) await cache.note(tag, columns);
    else await cache.append({ tag, columns, reaches, files: drafts.files });
    return true;
  } finally {
    await drafts.remove();
  }
}

async function renew(
  cache: StreamCache,
  target: Target,
  dependencies: SyncDependencies,
): Promise<void> {
  const drafts = new Drafts(cache);
  const { tag, columns, wanted } = target;
  try {
    // A file without rows: a stream may have none, and the table needs one file.
    await dependencies.hosted.download(cache.stream, columns, undefined, drafts.next());
    const reaches = await fetchRows(cache.stream, new Map(), target, drafts, dependencies);
    if (!sameReaches(reaches, wanted)) throw new Error('its rows changed while they were read');
    await insistOnColumns(cache.stream, target, dependencies);
    await cache.replace({ tag, columns, reaches, files: drafts.files });
  } finally {
    await drafts.remove();
  }
}

/** @returns how far the files reach, together with what was known */
async function fetchRows(
  stream: string,
  known: Reaches,
  { wanted, columns }: Target,
  drafts: Drafts,
  { hosted, files }: SyncDependencies,
): Promise<Reaches> {
  let reached = known;
  for (let which = missing(reached, wanted); which; which = missing(reached, wanted)) {
    const batches = await hosted.batches(stream, which);
    const chunks = planFetch(batches, reached, wanted);
    if (chunks.length === 0) break;
    for (const chunk of chunks) {
      const file = drafts.next();
      await hosted.download(stream, columns, chunk, file);
      if ((await files.rows(file)) !== chunk.rows)
        throw new Error('its rows changed while they were read');
      fetchedRows.inc(chunk.rows);
    }
    reached = advance(reached, batches, wanted);
  }
  return reached;
}

/** If the columns changed meanwhile, rows may have been read by the wrong types. */
async function insistOnColumns(
  stream: string,
  { columns }: Target,
  { hosted }: SyncDependencies,
): Promise<void> {
  const now = await hosted.columns(stream);
  if (!now || !isSame(now, columns)) throw new Error('its columns changed while it was read');
}

async function compact(cache: StreamCache, { files }: SyncDependencies): Promise<void> {
  const drafts = new Drafts(cache);
  try {
    const small: string[] = [];
    const merged = drafts.next();
    for (const path of cache.paths())
      if ((await stat(path)).size > MERGED_BYTES_MAX) await link(path, drafts.next());
      else small.push(path);
    const columns = cache.columns.map(({ name, dataType, nullable }) => ({
      name,
      type: engineType(dataType, nullable),
    }));
    await files.merge(small, columns, merged);
    await cache.replace({
      tag: cache.tag,
      columns: cache.columns,
      reaches: cache.reaches,
      files: drafts.files,
    });
  } finally {
    await drafts.remove();
  }
}

/** Files that are being fetched. */
class Drafts {
  readonly files: string[] = [];

  constructor(private readonly cache: StreamCache) {}

  next(): string {
    const file = this.cache.draft(this.files.length);
    this.files.push(file);
    return file;
  }

  /** Files that have been fetched and not published. */
  async remove(): Promise<void> {
    await Promise.all(this.files.map((file) => rm(file, { force: true })));
  }
}

function isSame(one: readonly DescribedColumn[], other: readonly DescribedColumn[]): boolean {
  return one.length === other.length && extendsColumns(one, other);
}
