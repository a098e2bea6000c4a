import type { Metadata, ServerInterceptingCallInterface, ServerInterceptor, ServerListener } from '@grpc/grpc-js'; // prettier-ignore
import { MillraceError } from '@app/platform';
import { BOUNDS } from '../flight-sql-bounds.js';
import { FLIGHT_SERVICE } from '../protocol/flight-service.js';
import { authorizationOf, type Calls } from './calls.js';

/** The connections of the calls, each named by its client's address and port. */
interface Connections {
  /** A call of this connection was admitted. */
  admitted(peer: string): void;
  hangUp(peer: string): void;
}

const DEADLINE_EXCEEDED = 4;

/**
 * Judges calls by their headers, before any of their messages is read: gRPC's library runs a handler
 * only when a request is whole, so that without this strangers could leave there what they like.
 */
export class Admission {
  /**
   * Calls whose request is not complete: calls that were admitted, and handshakes that authenticate
   * in a message.
   */
  private readonly waiting = { admitted: 0, strangers: 0 };

  constructor(
    private readonly grpc: Pick<typeof import('@grpc/grpc-js'), 'ServerInterceptingCall'>,
    private readonly calls: Calls,
    private readonly connections: Connections,
    /** A request must be complete within this time. */
    private readonly seconds: number,
  ) {}

  readonly interceptor: ServerInterceptor = ({ path }, call) =>
    new this.grpc.ServerInterceptingCall(call, {
      start: (next) => next(this.listener(path, call)),
    });

  private listener(path: string, call: ServerInterceptingCallInterface): ServerListener {
    let whole = (): void => undefined;
    return {
      onReceiveMetadata: (metadata, next) => {
        try {
          whole = this.wait(this.judge(path, metadata, call.getPeer()), call);
        } catch (error) {
          return call.sendStatus(this.calls.failure(error));
        }
        next(metadata);
      },
      onReceiveHalfClose: (next) => {
        whole();
        next();
      },
      onCancel: () => whole(),
    };
  }

  /** @throws {MillraceError} UNAUTHORIZED */
  private judge(path: string, metadata: Metadata, peer: string): 'admitted' | 'strangers' {
    const authorization = authorizationOf(metadata);
    if (path === FLIGHT_SERVICE.handshake.path && authorization === undefined) return 'strangers';
    this.calls.admit(authorization);
    this.connections.admitted(peer);
    return 'admitted';
  }

  /** @returns the function that ends the waiting. @throws {MillraceError} TOO_MANY_REQUESTS */
  private wait(who: 'admitted' | 'strangers', call: ServerInterceptingCallInterface): () => void {
    const most = who === 'admitted' ? BOUNDS.calls : BOUNDS.strangers;
    if (this.waiting[who] >= most)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        `more than ${most} calls are still being sent; ask again later`,
      );
    this.waiting[who] += 1;
    const late = setTimeout(() => this.tooLate(call), this.seconds * 1000);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(late);
      this.waiting[who] -= 1;
    };
  }

  /** A client that does not go on may not end its side of the call either: only its connection can be ended. */
  private tooLate(call: ServerInterceptingCallInterface): void {
    const peer = call.getPeer();
    call.sendStatus({
      code: DEADLINE_EXCEEDED,
      details: `a call has to be sent within ${this.seconds} seconds`,
    });
    setImmediate(() => this.connections.hangUp(peer));
  }
}
