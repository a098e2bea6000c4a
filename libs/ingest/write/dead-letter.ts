import { existsSync, readdirSync } from 'node:fs';
import { copyFile, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { QueuedRecord, QueuePosition } from '@app/ingest-queue';
import { countDeadLetter } from './write-metrics.js';

/** A batch that no table took. */
export interface DeadBatch {
  readonly position: QueuePosition;
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Why no table took it. */
  readonly reason: string;
}

const DESCRIPTION = '.json';
const PAYLOAD = '.native.zst';
const descriptionSchema = z.object({
  partition: z.number(),
  offset: z.string().transform(BigInt),
  key: z.string(),
  headers: z.record(z.string(), z.string()),
  reason: z.string(),
});

/** Batches that no insert takes are kept here, whole, with the reason: nothing acknowledged is thrown away. */
export class DeadLetter {
  /** Names of what is here. */
  private readonly names: Set<string>;

  constructor(private readonly directory: string) {
    const files = existsSync(directory) ? readdirSync(directory) : [];
    this.names = new Set(
      files
        .filter((file) => file.endsWith(DESCRIPTION))
        .map((file) => file.slice(0, -DESCRIPTION.length)),
    );
  }

  get size(): number {
    return this.names.size;
  }

  /** Resolves when the record is on disk. What was left of an earlier try is written over. */
  async keep({ position, key, headers, payload }: QueuedRecord, reason: string): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const name = nameOf(position);
    const path = join(this.directory, name);
    if ('file' in payload) await copyFile(payload.file, `${path}${PAYLOAD}`);
    else await writeFile(`${path}${PAYLOAD}`, payload.bytes);
    await sync(`${path}${PAYLOAD}`);
    const { partition, offset } = position;
    const description = { partition, offset: String(offset), key, headers, reason };
    // Last, and whole or not at all: without it there is no batch.
    await writeFile(`${path}.new`, `${JSON.stringify(description, undefined, 2)}\n`);
    await sync(`${path}.new`);
    await rename(`${path}.new`, `${path}${DESCRIPTION}`);
    await sync(this.directory);
    if (!this.names.has(name)) countDeadLetter();
    this.names.add(name);
  }

  /** Whether a batch of `position`'s partition, from `from` on and up to it, is here. */
  holds({ partition, offset }: QueuePosition, from = offset): boolean {
    for (const name of this.names) {
      const [of, at] = name.split('-').map(BigInt);
      if (of === BigInt(partition) && at !== undefined && from <= at && at <= offset) return true;
    }
    return false;
  }

  /** In the order in which they were on the queue. */
  async list(): Promise<readonly DeadBatch[]> {
    const batches = await Promise.all(
      [...this.names].map(async (name) => {
        const text = await readFile(join(this.directory, `${name}${DESCRIPTION}`), 'utf8');
        const { partition, offset, ...rest } = descriptionSchema.parse(JSON.parse(text));
        return { position: { partition, offset }, ...rest };
      }),
    );
    return batches.sort(({ position: a }, { position: b }) =>
      a.partition === b.partition ? Number(a.offset - b.offset) : a.partition - b.partition,
    );
  }

  /** As it was delivered. */
  async read({ position, key, headers }: DeadBatch): Promise<QueuedRecord> {
    const bytes = await readFile(join(this.directory, `${nameOf(position)}${PAYLOAD}`));
    return { position, key, headers, payload: { bytes } };
  }

  /** Resolves when it is gone for good. */
  async forget({ position }: DeadBatch): Promise<void> {
    const name = nameOf(position);
    for (const ending of [DESCRIPTION, PAYLOAD])
      await rm(join(this.directory, `${name}${ending}`), { force: true });
    await sync(this.directory);
    this.names.delete(name);
  }
}

const nameOf = ({ partition, offset }: QueuePosition): string => `${partition}-${offset}`;

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
