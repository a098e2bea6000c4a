import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@app/files';
import { certain } from '@app/platform';
import { z } from 'zod';
import { arrowDataType } from '../arrow-data-type.js';
import type { DescribedColumn, DescribedTable } from '../table-description.js';
import type { Reaches } from './plan-fetch.js';

const manifest = z.object({
  /** The folder of the current files. */
  generation: z.int(),
  /** The tag of the files' content, or an older one; null: the hosted side gave none. */
  tag: z.string().nullable(),
  columns: z.array(z.object({ name: z.string(), dataType: arrowDataType, nullable: z.boolean() })),
  files: z.array(z.string()),
  reaches: z.array(z.tuple([z.int(), z.object({ last: z.int(), rows: z.int() })])),
});
type Manifest = z.output<typeof manifest>;

const EMPTY: Manifest = { generation: 0, tag: null, columns: [], files: [], reaches: [] };
const FIRST = '0.parquet';

/** The files that are published together. */
export interface Publication {
  readonly tag: string | undefined;
  readonly columns: readonly DescribedColumn[];
  readonly reaches: Reaches;
  /** Paths of whole files to be moved in; of a new generation all there are. */
  readonly files: readonly string[];
}

/**
 * The rows of one followed stream on disk: a folder of Parquet files and a manifest that names
 * those that count. Files come by renaming, so a reader sees each whole or not at all; a file that
 * no manifest names was left by a crash and goes.
 */
export class StreamCache {
  private constructor(
    readonly stream: string,
    private readonly folder: string,
    private state: Manifest,
  ) {}

  /** Opens the existing cache, or begins a new one when none is intact. */
  static async open(stream: string, folder: string): Promise<StreamCache> {
    await mkdir(folder, { recursive: true });
    const state = await readManifest(join(folder, 'manifest.json'));
    const cache = new StreamCache(stream, folder, state);
    await cache.clean();
    return cache;
  }

  /** Tells whether there is anything to serve. */
  get isFilled(): boolean {
    return this.state.files.length > 0;
  }

  get tag(): string | undefined {
    return this.state.tag ?? undefined;
  }

  get columns(): readonly DescribedColumn[] {
    return this.state.columns;
  }

  get reaches(): Reaches {
    return new Map(this.state.reaches);
  }

  /** Counts the times that new files replaced all existing ones. */
  get generation(): number {
    return this.state.generation;
  }

  /** The current files. */
  get files(): number {
    return this.state.files.length;
  }

  paths(): readonly string[] {
    const folder = this.folderOf(this.state.generation);
    return this.state.files.map((name) => join(folder, name));
  }

  /** The table that the program registers: all files of the generation, also those that come. */
  table(): DescribedTable {
    return {
      name: this.stream,
      uri: join(this.folderOf(this.state.generation), '*.parquet'),
      options: { format: 'parquet' },
      materialize: false,
      columns: this.state.columns,
      followed: true,
    };
  }

  /** A path for a file that is being fetched. */
  draft(number: number): string {
    return join(this.folder, `draft-${number}`);
  }

  /** Adds files to those that are there. */
  async append(publication: Publication): Promise<void> {
    const { generation, files } = this.state;
    const added = publication.files.map((_, index) => `${files.length + index}.parquet`);
    await this.publish(generation, files, added, publication);
  }

  /** Replaces all existing files. They stay readable until `clean`. */
  async replace(publication: Publication): Promise<void> {
    const generation = this.state.generation + 1;
    await mkdir(this.folderOf(generation), { recursive: true });
    const added = publication.files.map((_, index) => (index === 0 ? FIRST : `${index}.parquet`));
    await this.publish(generation, [], added, publication);
  }

  /** Notes a new validator, or columns that come without rows, when nothing else has changed. */
  async note(tag: string | undefined, columns: readonly DescribedColumn[]): Promise<void> {
    await this.save({ ...this.state, tag: tag ?? null, columns: [...columns] });
  }

  /**
   * Removes drafts, and all generations but the current one.
   * @param readable further generations that queries may read
   */
  async clean(readable: ReadonlySet<number> = new Set()): Promise<void> {
    const kept = [this.state.generation, ...readable].map((number) => `g${number}`);
    const others = await readdir(this.folder);
    await Promise.all(
      others
        .filter((name) => !kept.includes(name) && name !== 'manifest.json')
        .map((name) => rm(join(this.folder, name), { recursive: true, force: true })),
    );
    const inside = await readdir(this.folderOf(this.state.generation)).catch(() => []);
    await Promise.all(
      inside
        .filter((name) => !this.state.files.includes(name))
        .map((name) => rm(join(this.folderOf(this.state.generation), name), { force: true })),
    );
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  private async publish(
    generation: number,
    before: readonly string[],
    added: readonly string[],
    { tag, columns, reaches, files }: Publication,
  ): Promise<void> {
    const folder = this.folderOf(generation);
    try {
      for (const [index, name] of added.entries())
        await rename(certain(files[index], `file of ${name}`), join(folder, name));
      await this.save({
        generation,
        tag: tag ?? null,
        columns: [...columns],
        files: [...before, ...added],
        reaches: [...reaches].map(([partition, reach]) => [partition, reach]),
      });
    } catch (error) {
      // A row in a file that no manifest names would be fetched again, and would then appear twice.
      await Promise.all(added.map((name) => rm(join(folder, name), { force: true })));
      throw error;
    }
  }

  private folderOf(number: number): string {
    return join(this.folder, `g${number}`);
  }

  private async save(state: Manifest): Promise<void> {
    await writeDurably(join(this.folder, 'manifest.json'), JSON.stringify(state));
    this.state = state;
  }
}

async function readManifest(path: string): Promise<Manifest> {
  try {
    return manifest.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return EMPTY;
  }
}
