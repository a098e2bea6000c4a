import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '@app/files';
import { z } from 'zod';

/** A read model as it was after one event. */
export interface Snapshot {
  readonly position: bigint;
  /** The event at `position`: it distinguishes this history from another. */
  readonly event: { readonly id: string; readonly stream: string; readonly revision: number };
  /** JSON. */
  readonly state: unknown;
}

const stored = z.object({
  version: z.number(),
  understood: z.array(z.string()),
  position: z.string().regex(/^\d+$/).transform(BigInt),
  event: z.object({ id: z.string(), stream: z.string(), revision: z.number() }),
  state: z.unknown(),
});

/**
 * Snapshots of read models, a file each, replaced whole; its first line is the hash of what
 * follows. A snapshot is only a shortcut: if it is lost or damaged, all events are replayed. The
 * same holds if its program understood events that this one does not understand, because it would
 * show facts on which commands cannot decide.
 */
export class SnapshotFiles {
  /**
   * @param directory absolute; made when it is not there
   * @param understood types of events, with their versions
   */
  constructor(
    private readonly directory: string,
    private readonly understood: readonly string[] = [],
  ) {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  }

  /** Reads the snapshot; undefined when there is none that can be used, because it is damaged or of another version. */
  async load(name: string, version: number): Promise<Snapshot | undefined> {
    let text: string;
    try {
      text = await readFile(this.file(name), 'utf8');
    } catch {
      return undefined;
    }
    const [hash, content = ''] = text.split('\n', 2);
    if (hash !== hashOf(content)) return undefined;
    const parsed = stored.safeParse(JSON.parse(content));
    if (!parsed.success || parsed.data.version !== version) return undefined;
    const mine = new Set(this.understood);
    return parsed.data.understood.every((each) => mine.has(each)) ? parsed.data : undefined;
  }

  async save(name: string, version: number, snapshot: Snapshot): Promise<void> {
    const { position, event, state } = snapshot;
    const { understood } = this;
    const content = JSON.stringify({
      version,
      understood,
      position: String(position),
      event,
      state,
    });
    await writeDurably(this.file(name), `${hashOf(content)}\n${content}`);
  }

  async remove(name: string): Promise<void> {
    await rm(this.file(name), { force: true });
  }

  private file(name: string): string {
    return join(this.directory, `${name}.json`);
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
