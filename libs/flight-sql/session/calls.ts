import type { Metadata, ServerDuplexStream, ServerWritableStream } from '@grpc/grpc-js';
import { MillraceError, type Logger, type RequestOrganization } from '@app/platform';
import { BOUNDS } from '../flight-sql-bounds.js';
import type { FlightSqlDoor } from '../flight-sql-door.js';
import { toCallFailure, type CallFailure } from './grpc-failure.js';

/** The client of a call, which may cancel it. */
export interface Caller {
  readonly organization: RequestOrganization;
  /** Aborts when the client has cancelled the call, or has left. */
  readonly signal: AbortSignal;
  /** A bearer that lets the same client in again. */
  readonly bearer: string;
}

/** A call of any kind. */
export interface AnyCall {
  readonly cancelled: boolean;
  readonly metadata: Metadata;
  once(event: 'cancelled', listener: () => void): unknown;
}

/** A call whose answer is a stream of messages. */
export type StreamCall = ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** Lets calls in, within bounds, and gives each the tables as they are when it comes. */
export class Calls {
  private running = 0;

  constructor(
    private readonly door: FlightSqlDoor,
    private readonly logger: Logger,
  ) {}

  /**
   * @param authorization the client's authorization, when it is not in the headers of the call
   * @throws {MillraceError} UNAUTHORIZED, TOO_MANY_REQUESTS; the errors of the work
   */
  async run<Answer>(
    call: AnyCall,
    work: (caller: Caller) => Promise<Answer>,
    authorization = authorizationOf(call.metadata),
  ): Promise<Answer> {
    const bearer = this.admit(authorization);
    if (this.running >= BOUNDS.calls)
      throw new MillraceError(
        'TOO_MANY_REQUESTS',
        `more than ${BOUNDS.calls} calls are being answered; ask again when one of yours is over`,
      );
    const hold = this.door.hold();
    this.running += 1;
    try {
      return await work({ organization: hold.organization, signal: cancelled(call), bearer });
    } finally {
      hold.release();
      this.running -= 1;
    }
  }

  /** @returns a bearer that lets the same client in again. @throws {MillraceError} UNAUTHORIZED */
  admit(authorization: string | undefined): string {
    return this.door.admit(authorization);
  }

  failure(error: unknown): CallFailure {
    return toCallFailure(error, this.logger);
  }
}

/**
 * Old clients, from before there were headers for it, send the token of the handshake in a header
 * of its own.
 */
export function authorizationOf(metadata: Metadata): string | undefined {
  const [shown] = metadata.get('authorization');
  if (shown !== undefined) return String(shown);
  const [token] = metadata.get('auth-token-bin');
  return token === undefined ? undefined : `Bearer ${String(token)}`;
}

function cancelled(call: AnyCall): AbortSignal {
  const gone = new AbortController();
  if (call.cancelled) gone.abort();
  call.once('cancelled', () => gone.abort());
  return gone.signal;
}
