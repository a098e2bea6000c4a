import { randomInt } from 'node:crypto';
import { BOUNDS } from '../protocol/postgres-bounds.js';

/** The key that a client needs to cancel a statement of the connection. */
export interface CancelKey {
  readonly process: number;
  readonly secret: number;
}

/** A connection, as the list of connections needs it. */
interface Connected {
  /** True after the client has authenticated. */
  readonly isStarted: boolean;
  cancel(): void;
  stop(): void;
}

const KEY_BELOW = 2 ** 31;

/** All connections of one address, each by its key. */
export class Connections {
  private readonly byProcess = new Map<number, { readonly secret: number; readonly connection: Connected }>(); // prettier-ignore

  /** True when no further client may authenticate. */
  get isFull(): boolean {
    const all = [...this.byProcess.values()];
    return all.filter(({ connection }) => connection.isStarted).length >= BOUNDS.connections;
  }

  /**
   * True when no further socket is accepted. Cancel requests come by connections of their own, and
   * must still get through.
   */
  get isCrowded(): boolean {
    return this.byProcess.size >= 2 * BOUNDS.connections;
  }

  newKey(): CancelKey {
    let process = randomInt(1, KEY_BELOW);
    while (this.byProcess.has(process)) process = randomInt(1, KEY_BELOW);
    return { process, secret: randomInt(KEY_BELOW) };
  }

  add({ process, secret }: CancelKey, connection: Connected): void {
    this.byProcess.set(process, { secret, connection });
  }

  delete({ process }: CancelKey): void {
    this.byProcess.delete(process);
  }

  /**
   * Cancels the statement of the connection with this key. It does nothing when there is no such
   * connection.
   */
  cancel({ process, secret }: CancelKey): void {
    const found = this.byProcess.get(process);
    if (found?.secret === secret) found.connection.cancel();
  }

  stop(): void {
    for (const { connection } of this.byProcess.values()) connection.stop();
  }
}
