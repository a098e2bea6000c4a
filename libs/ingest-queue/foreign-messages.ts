import type { QueueRecord } from './ingest-queue.js';

/** A message that a program other than Millrace has put on the topic for uploads. */
export interface ForeignMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
  /** `<topic>/<partition>/<offset>`: names the message for all time. */
  readonly name: string;
}

/** A message that nobody can tell where it belongs, or that nothing can be done with. */
export interface DeadMessage {
  readonly message: ForeignMessage;
  readonly reason: string;
}

export interface ForeignDelivery {
  /** They are in their order, of one partition. */
  readonly messages: readonly ForeignMessage[];
  /**
   * Puts records on the ingest queue and dead messages aside, and goes on behind these messages:
   * all of it together or nothing. Await it, or {@link release}, before taking the next delivery.
   */
  finish(records: readonly QueueRecord[], dead: readonly DeadMessage[]): Promise<void>;
  /** Messages that are not finished come again, also after a finish that failed. */
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
