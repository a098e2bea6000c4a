import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { QueuedRecord, QueuePosition } from '@app/ingest-queue';
import { syncPath, unlessGone } from '@app/files';
import { endingIn } from './batch.js';
import { isLost } from './lost-payload.js';
import { countDeadLetter } from './write-metrics.js';

/** A batch that no table took. */
export interface DeadBatch {
  readonly position: QueuePosition;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The reason why no table took it. */
  readonly reason: string;
  /** True if its rows are not here, because they were lost before. */
  readonly lost?: boolean | undefined;
}

const DESCRIPTION = '.json';
/** Its partition and offset. */
const NAME = /^\d+-\d+$/;
const descriptionSchema = z.object({
  partition: z.number(),
  offset: z.string().transform(BigInt),
  key: z.string(),
  headers: z.record(z.string(), z.string()),
  reason: z.string(),
  lost: z.boolean().optional(),
});

/**
 * Batches that no insert accepts are kept here, completely, with the reason, because acknowledged
 * data must not be thrown away.
 */
export class DeadLetter {
  /**
   * The names of the batches here, as far as this process knows: a command may have put some back.
   */
  private names: Set<string>;
  /** A cache of the sizes of payloads. */
  private readonly sizes = new Map<string, { database: string; bytes: number }>();

  constructor(private readonly directory: string) {
    this.names = this.look();
  }

  get size(): number {
    this.names = this.look();
    return this.names.size;
  }

  private look(): Set<string> {
    const files = existsSync(this.directory) ? readdirSync(this.directory) : [];
    return new Set(
      files
        .filter((file) => file.endsWith(DESCRIPTION))
        .map((file) => file.slice(0, -DESCRIPTION.length))
        // Files with other names are not ours.
        .filter((name) => NAME.test(name)),
    );
  }

  /** Resolves when the record is on disk. The rest of an earlier attempt is overwritten. */
  async keep({ position, key, headers, payload }: QueuedRecord, reason: string): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const name = nameOf(position);
    const path = join(this.directory, name);
    const lost = await isLost(payload);
    if (!lost) {
      const kept = `${path}${endingIn(headers)}`;
      if ('file' in payload) await copyFile(payload.file, kept);
      else await writeFile(kept, payload.bytes);
      await syncPath(kept);
    }
    const { partition, offset } = position;
    const told = lost ? { lost } : {};
    const description = { partition, offset: String(offset), key, headers, reason, ...told };
    // This file is written last, and atomically: without it there is no batch.
    await writeFile(`${path}.new`, `${JSON.stringify(description, undefined, 2)}\n`);
    await syncPath(`${path}.new`);
    await rename(`${path}.new`, `${path}${DESCRIPTION}`);
    await syncPath(this.directory);
    if (!this.names.has(name)) countDeadLetter();
    this.names.add(name);
  }

  /** Tells whether a batch of `position`'s partition, from `from` on and up to it, is here. */
  holds(position: QueuePosition, from = position.offset): boolean {
    if (namesOf(this.names, position, from).length === 0) return false;
    this.names = this.look();
    return namesOf(this.names, position, from).length > 0;
  }

  /** Does the same for batches whose rows are lost, by their descriptions: they outlast a restart. */
  async holdsLost(position: QueuePosition, from = position.offset): Promise<boolean> {
    for (const name of namesOf(this.names, position, from))
      if ((await unlessGone(this.describe(name), undefined))?.lost) return true;
    return false;
  }

  /** Counts the kept bytes of each database. */
  async bytesByDatabase(): Promise<ReadonlyMap<string, number>> {
    const bytes = new Map<string, number>();
    this.names = this.look();
    for (const name of this.names) {
      const size = this.sizes.get(name) ?? (await unlessGone(this.sizeOf(name), undefined));
      if (!size) continue;
      this.sizes.set(name, size);
      bytes.set(size.database, (bytes.get(size.database) ?? 0) + size.bytes);
    }
    return bytes;
  }

  private async sizeOf(name: string): Promise<{ database: string; bytes: number }> {
    const { headers, lost } = await this.describe(name);
    const payload = join(this.directory, `${name}${endingIn(headers)}`);
    const { size } = lost ? { size: 0 } : await stat(payload);
    return { database: headers.database ?? '', bytes: size };
  }

  private async describe(name: string): Promise<DeadBatch> {
    const text = await readFile(join(this.directory, `${name}${DESCRIPTION}`), 'utf8');
    const { partition, offset, ...rest } = descriptionSchema.parse(JSON.parse(text));
    return { position: { partition, offset }, ...rest };
  }

  /** Lists the batches in the order in which they were on the queue. */
  async list(): Promise<readonly DeadBatch[]> {
    const found = await Promise.all(
      [...this.look()].map((name) => unlessGone(this.describe(name), undefined)),
    );
    const batches = found.filter((batch) => batch !== undefined);
    return batches.sort(({ position: a }, { position: b }) =>
      a.partition === b.partition ? Number(a.offset - b.offset) : a.partition - b.partition,
    );
  }

  /** Gives the batch as it was delivered. */
  async read({ position, key, headers, lost, reason }: DeadBatch): Promise<QueuedRecord> {
    if (lost) throw new Error(reason);
    const bytes = await readFile(join(this.directory, `${nameOf(position)}${endingIn(headers)}`));
    return { position, key, headers, payload: { bytes } };
  }

  /**
   * Deletes all kept batches of these databases. They are gone for good when the promise resolves.
   */
  async forgetDatabases(databases: ReadonlySet<string>): Promise<void> {
    if (this.size === 0 || databases.size === 0) return;
    for (const batch of await this.list())
      if (databases.has(batch.headers.database ?? '')) await this.forget(batch);
  }

  /** Deletes a batch. It is gone for good when the promise resolves. */
  async forget({ position, headers }: DeadBatch): Promise<void> {
    const name = nameOf(position);
    for (const ending of [DESCRIPTION, endingIn(headers)])
      await rm(join(this.directory, `${name}${ending}`), { force: true });
    await syncPath(this.directory);
    this.names.delete(name);
    this.sizes.delete(name);
  }
}

/** The names of batches of the position's partition, from `from` on and up to it. */
function namesOf(
  names: Iterable<string>,
  { partition, offset }: QueuePosition,
  from: bigint,
): readonly string[] {
  return [...names].filter((name) => {
    const [of, at] = name.split('-').map(BigInt);
    return of === BigInt(partition) && at !== undefined && from <= at && at <= offset;
  });
}

const nameOf = ({ partition, offset }: QueuePosition): string => `${partition}-${offset}`;

/** Opens the dead letter of the process that has this data directory. */
export const openDeadLetter = (dataDirectory: string): DeadLetter =>
  new DeadLetter(join(dataDirectory, 'dead-letter'));
