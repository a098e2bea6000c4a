import { copyFile, mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { QueuedRecord } from '@app/ingest-queue';
import { countDeadLetter } from './write-metrics.js';

/** Batches that no insert takes are kept here, whole, with the reason: nothing acknowledged is thrown away. */
export class DeadLetter {
  constructor(private readonly directory: string) {}

  /** Resolves when the record is on disk. */
  async keep({ position, key, headers, payload }: QueuedRecord, reason: string): Promise<void> {
    await mkdir(this.directory, { recursive: true });
    const name = join(this.directory, `${position.partition}-${position.offset}`);
    if ('file' in payload) await copyFile(payload.file, `${name}.native.zst`);
    else await writeFile(`${name}.native.zst`, payload.bytes);
    const description = {
      partition: position.partition,
      offset: String(position.offset),
      key,
      headers,
      reason,
    };
    await writeFile(`${name}.json`, `${JSON.stringify(description, undefined, 2)}\n`);
    for (const path of [`${name}.native.zst`, `${name}.json`, this.directory]) {
      const handle = await open(path, 'r');
      await handle.sync();
      await handle.close();
    }
    countDeadLetter();
  }
}
