import type { ResolvedEvent } from '@eventstore/db-client';
import type { EventMetadata, RecordedEvent } from '../event.js';

/** Our streams among those of others on the same server: `<namespace>.<stream>`. */
export class StreamNames {
  readonly prefix: string;

  constructor(namespace: string) {
    this.prefix = `${namespace}.`;
  }

  stored(stream: string): string {
    return `${this.prefix}${stream}`;
  }

  /**
   * Gives the event in the port's form; undefined for events that are not ours, such as the
   * server's own statistics.
   */
  recorded({ event }: ResolvedEvent): RecordedEvent | undefined {
    if (!event?.streamId.startsWith(this.prefix)) return undefined;
    // The commit and prepare positions of an event are equal unless it was written in an explicit
    // transaction.
    const { commit } = event.position ?? {};
    if (commit === undefined) throw new Error(`the event store gave event ${event.id} no position`);
    return {
      id: event.id,
      type: event.type,
      // An event that is not marked as JSON is not ours.
      data: event.isJson ? event.data : undefined,
      metadata: event.metadata as unknown as EventMetadata,
      stream: event.streamId.slice(this.prefix.length),
      revision: Number(event.revision),
      position: commit,
    };
  }
}
