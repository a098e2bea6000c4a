import { EventStoreDBClient, UnavailableError } from '@eventstore/db-client';

/** The internals of the client's class that have two faults, and its connection. */
interface Inside {
  supports: () => Promise<boolean>;
  handleError: (...args: unknown[]) => Promise<void>;
  getChannel: () => Promise<object>;
}

/**
 * A client that cannot end the process. Two faults of 6.2.1 would, when a connection is lost:
 * its batched append keeps what waits for an answer in one list for all connections, clears it
 * when any of them breaks, and then throws at the answers of the others, where nobody catches;
 * and its handling of an error waits for a connection that may fail in its turn, without
 * catching that. So appends go one call each, and the second failure is ignored: the operation
 * that asked for the connection gets it anyway.
 */
export function soundClient(connectionString: string): EventStoreDBClient {
  const client = EventStoreDBClient.connectionString(connectionString);
  const inside = client as unknown as Inside;
  inside.supports = () => Promise.resolve(false);
  const handle = inside.handleError;
  inside.handleError = (...args) => handle(...args).catch(() => undefined);
  return client;
}

/**
 * Leaves the node that the client is connected to, so that the next call looks for one. A node whose
 * process is paused keeps its connections, and the client by itself would stay with it until
 * keepalives are missed, after up to 20 s.
 */
export class NodeLeaver {
  private readonly inside: Inside;
  private leaving: Promise<void> | undefined;

  constructor(client: EventStoreDBClient) {
    this.inside = client as unknown as Inside;
  }

  /**
   * Calls at the same time leave one node only. Nobody waits for it: where no connection is there yet,
   * one is still being looked for.
   */
  leave(): void {
    this.leaving ??= this.leaveOnce().finally(() => (this.leaving = undefined));
  }

  private async leaveOnce(): Promise<void> {
    const channel = await this.inside.getChannel().catch(() => undefined);
    if (!channel) return;
    await this.inside.handleError({ getChannel: () => channel }, new UnavailableError());
  }
}
