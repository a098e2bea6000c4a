import { serialize } from 'node:v8';
import type { CommandMarks } from './command-marks.js';

/** The state that a stream's events have made of an aggregate, up to a revision. */
export interface Folded<State> {
  readonly state: State;
  /** The revision of the last event; -1 before the first. */
  readonly revision: number;
  /** The position of the last event; 0 before the first. */
  readonly position: bigint;
  readonly marks: CommandMarks;
}

interface Kept {
  readonly decider: object;
  readonly folded: Folded<unknown>;
  /** The bytes of the state when it was measured, and of the events since. */
  readonly measured: number;
  readonly grown: number;
  readonly bytes: number;
}

const BYTES_MAX = 64 * 1024 * 1024;
/** A mark in a set, or the rest of an entry, takes about so many bytes. */
const MARK_BYTES = 24;
const ENTRY_BYTES = 500;

/**
 * Aggregates that commands were for last, folded, so that a command need not read its stream from
 * the start. They lack the events that another node has appended since. So the caller looks for
 * later events before it refuses a command, and an append at the old revision fails.
 */
export class FoldedStates {
  /** The one that was used the longest ago is the first. */
  private readonly kept = new Map<string, Kept>();
  private bytes = 0;

  /** @param bytesMax the approximate size of all; a state that is larger alone is not kept */
  constructor(private readonly bytesMax = BYTES_MAX) {}

  /** @param decider the decider that folded it: a stream may be read as more than one aggregate */
  get<State>(stream: string, decider: object): Folded<State> | undefined {
    const found = this.kept.get(stream);
    return found?.decider === decider ? (found.folded as Folded<State>) : undefined;
  }

  /** @param added bytes of the events that were folded since it was last kept */
  keep(stream: string, decider: object, folded: Folded<unknown>, added: number): void {
    const before = this.kept.get(stream);
    this.drop(stream);
    const same = before?.decider === decider ? before : { measured: 0, grown: 0 };
    let { measured } = same;
    let grown = same.grown + added;
    // Measured again when it may have doubled. A larger state is measured less often.
    if (grown > measured || before?.decider !== decider) {
      measured = serialize(folded.state).length;
      grown = 0;
    }
    const bytes = ENTRY_BYTES + measured + grown + folded.marks.count * MARK_BYTES;
    if (bytes > this.bytesMax) return;
    this.kept.set(stream, { decider, folded, measured, grown, bytes });
    this.bytes += bytes;
    for (const oldest of this.kept.keys()) {
      if (this.bytes <= this.bytesMax) return;
      this.drop(oldest);
    }
  }

  drop(stream: string): void {
    this.bytes -= this.kept.get(stream)?.bytes ?? 0;
    this.kept.delete(stream);
  }
}
