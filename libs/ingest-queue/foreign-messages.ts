import type { QueueRecord } from './ingest-queue.js';

/** A message that a program other than Millrace has put on the topic for uploads. */
export interface ForeignMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
  /** `<topic>/<partition>/<offset>`: identifies the message for ever. */
  readonly name: string;
}

/** A message without a known destination, or one that cannot be processed. */
export interface DeadMessage {
  readonly message: ForeignMessage;
  readonly reason: string;
}

export interface ForeignDelivery {
  /** The messages are in order, and of one partition. */
  readonly messages: readonly ForeignMessage[];
  /**
   * Puts records on the ingest queue, sets dead messages aside, and commits these messages, all
   * together or not at all. The caller must await it, or {@link release}, before taking the next
   * delivery.
   */
  finish(records: readonly QueueRecord[], dead: readonly DeadMessage[]): Promise<void>;
  /**
   * Returns the messages without a commit. Unfinished messages come again, also after a finish that
   * failed.
   */
  release(): Promise<void>;
}

/** Messages of other producers, each delivered until it is finished. */
export abstract class ForeignMessages {
  /** Waits for more until `signal` aborts. */
  abstract consume(options: {
    readonly signal: AbortSignal;
    readonly maxMessages: number;
    readonly maxBytes: number;
  }): AsyncIterable<ForeignDelivery>;
}
