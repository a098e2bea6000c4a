import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredBatch } from '@app/warehouse';
import type { ReceivedBatch } from './group-batches.js';

/**
 * Lines can be concatenated in a file, and so can compressed ones: the frames of zstd stand behind
 * each other, and the engine reads them as one text.
 */
const JOINED: ReadonlySet<string> = new Set(['.ndjson', '.ndjson.zst', '.compact.ndjson.zst']);

/**
 * Batches in files, in the form for the engine. Batches that came as bytes are written to files of
 * ours. Small ones share a file, because each file costs the engine as much as many rows.
 */
export class SpilledBatches {
  private constructor(
    readonly batches: readonly StoredBatch[],
    private readonly files: readonly string[],
  ) {}

  /** @param directory absolute */
  static async write(
    directory: string,
    received: readonly ReceivedBatch[],
  ): Promise<SpilledBatches> {
    const batches: StoredBatch[] = [];
    const contents = new Map<string, Uint8Array[]>();
    const shared = new Map<string, string>();
    for (const { record, ending, acceptedAt, times, rows } of received) {
      const { position, payload } = record;
      const told = { position, acceptedAt, times, rows };
      if ('file' in payload) {
        batches.push({ ...told, file: payload.file });
        continue;
      }
      const own = join(directory, `${position.partition}-${position.offset}${ending}`);
      const alike = `${ending} ${times}`;
      const file = JOINED.has(ending) ? (shared.get(alike) ?? own) : own;
      shared.set(alike, file);
      const others = contents.get(file);
      if (others) others.push(payload.bytes);
      else contents.set(file, [payload.bytes]);
      batches.push({ ...told, file });
    }
    const spilled = new SpilledBatches(batches, [...contents.keys()]);
    try {
      for (const [file, bytes] of contents) await writeFile(file, Buffer.concat(bytes));
    } catch (error) {
      await spilled.remove();
      throw error;
    }
    return spilled;
  }

  /** A file that cannot be removed stays until the next start, which empties the folder. */
  async remove(): Promise<void> {
    await Promise.allSettled(this.files.map((file) => rm(file, { force: true })));
  }
}
