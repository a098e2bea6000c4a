import { mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Position } from '@eventstore/db-client';
import { writeDurably } from '@app/files';
import { z } from 'zod';

/** A stretch of the log without an event of ours: after the one at `last`, up to `to`. */
interface Stretch {
  readonly last: bigint;
  readonly to: Position;
}

/**
 * The event at the end of a stretch, from any writer. It distinguishes this log from one that was
 * restored from a backup.
 */
export interface Witness {
  readonly id: string;
  readonly commit: bigint;
}

const position = z.string().regex(/^\d+$/).transform(BigInt);
const stored = z.object({
  prefix: z.string(),
  last: position,
  to: z.object({ commit: position, prepare: position }),
  witness: z.object({ id: z.string(), commit: position }),
});

/** A start may have to read this many bytes of the log again. */
const SAVE_EVERY = 4n * 1024n * 1024n;

/**
 * Tells how far it is known that no event of ours came: others write to the same log, and reading
 * on need not go through all of that each time. It is kept in a file, so that a start need not
 * either; It is only a shortcut, and is ignored if it does not fit the log.
 */
export class PassedOver {
  private stretch: Stretch | undefined;
  private saved = 0n;
  private saving = false;

  /**
   * @param prefix what the names of our streams begin with
   * @param file absolute; undefined: it is not kept
   */
  constructor(
    private readonly prefix: string,
    private readonly file: string | undefined,
  ) {}

  /** @param at the first event at a position or after it */
  async load(at: (to: Position) => Promise<Witness | undefined>): Promise<void> {
    const kept = this.read();
    if (kept?.prefix !== this.prefix) return;
    const { last, to, witness } = kept;
    const found = await at(to);
    if (found?.id !== witness.id || found.commit !== witness.commit || this.stretch) return;
    this.stretch = { last, to };
    this.saved = to.commit;
  }

  /** The position where a reading after `position` may begin. */
  after(position: bigint | undefined): Position | undefined {
    const { last, to } = this.stretch ?? {};
    const isWithin = last !== undefined && to && position !== undefined && position >= last;
    if (isWithin && position < to.commit) return to;
    return position === undefined || position === 0n
      ? undefined
      : { commit: position, prepare: position };
  }

  /** Our last event, if everything after it up to `position` was read and belongs to others. */
  lastBefore(position: bigint): bigint | undefined {
    return this.stretch && position <= this.stretch.to.commit ? this.stretch.last : undefined;
  }

  /** One of our events was met. */
  met(position: bigint): void {
    const { last = 0n, to } = this.stretch ?? {};
    if (to && position <= last) return;
    // The stretch was believed to have none of our events, so it is forgotten.
    this.stretch = to && position < to.commit ? undefined : ending(position);
  }

  /** Our last event was found: all events between it and `to` were looked at. */
  found(last: bigint, to: Position): void {
    if (this.stretch && last < this.stretch.last) return;
    this.stretch = to.commit > last ? { last, to } : ending(last);
  }

  /**
   * Nothing of ours lies between `since` and `to`. `since` is the position of an event that was
   * met, or the end of the stretch.
   */
  passed(since: bigint, to: Position): void {
    const { last, to: before } = this.stretch ?? {};
    if (last === undefined || !before || since < last || since > before.commit) return;
    if (to.commit > before.commit) this.stretch = { last, to };
  }

  /** The server may have failed just at this event. */
  forget(): void {
    this.stretch = undefined;
  }

  get isDue(): boolean {
    return !this.saving && (this.stretch?.to.commit ?? 0n) - this.saved >= SAVE_EVERY;
  }

  async save(at: (to: Position) => Promise<Witness | undefined>): Promise<void> {
    const { prefix, file, stretch } = this;
    if (file === undefined || !stretch || stretch.to.commit === this.saved) return;
    this.saving = true;
    try {
      const witness = await at(stretch.to);
      if (!witness) return;
      const text = JSON.stringify({ prefix, ...stretch, witness }, (_, value: unknown) =>
        typeof value === 'bigint' ? String(value) : value,
      );
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      await writeDurably(file, text);
      this.saved = stretch.to.commit;
    } finally {
      this.saving = false;
    }
  }

  private read(): z.infer<typeof stored> | undefined {
    if (this.file === undefined) return undefined;
    try {
      return stored.parse(JSON.parse(readFileSync(this.file, 'utf8')));
    } catch {
      return undefined;
    }
  }
}

const ending = (last: bigint): Stretch => ({ last, to: { commit: last, prepare: last } });
