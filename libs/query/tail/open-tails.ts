import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';
import { CROWDED } from './tail.js';

/**
 * The limits of open tails: for the organizations of one share, for one caller, and for this
 * process.
 */
const MOST = { organization: 32, caller: 8, process: 256 } as const;
const WHOSE = { organization: 'your organization has', caller: 'you have' } as const;
const RETRY_SECONDS = 10;

/** The place of an open tail. */
interface OpenTail {
  /** Aborts when the server stops, or with {@link CROWDED} when another organization needs the place. */
  readonly stopping: AbortSignal;
  readonly close: () => void;
}

interface Place {
  readonly share: string;
  readonly userId: string;
  readonly stop: AbortController;
}

/**
 * Limits how many tails are open, and ends them all when the server stops. Where this process has as
 * many as it can have, the organization with the most loses its newest one to another that has
 * fewer: a tail goes on without a gap when it comes again.
 */
@Injectable()
export class OpenTails implements OnModuleDestroy {
  /** The newest is the last. */
  private open: readonly Place[] = [];
  private isStopping = false;

  /** @throws {MillraceError} TOO_MANY_REQUESTS, SHUTTING_DOWN */
  begin({ share }: RequestOrganization, { userId }: Caller): OpenTail {
    if (this.isStopping)
      throw new MillraceError('SHUTTING_DOWN', 'the server stops; come again', {
        retryAfterSeconds: 1,
      });
    if (this.open.filter((place) => place.userId === userId).length >= MOST.caller)
      throw tooMany(`${WHOSE.caller} ${MOST.caller} open tails, and no more may be at a time`);
    const own = this.ofShare(share).length;
    if (own >= MOST.organization)
      throw tooMany(
        `${WHOSE.organization} ${MOST.organization} open tails, and no more may be at a time`,
      );
    if (this.open.length >= MOST.process) this.makeRoom(own);
    const place = { share, userId, stop: new AbortController() };
    this.open = [...this.open, place];
    return { stopping: place.stop.signal, close: () => this.close(place) };
  }

  /** Ends all tails. It runs before the server waits for running answers. */
  onModuleDestroy(): void {
    this.isStopping = true;
    for (const { stop } of this.open) stop.abort();
  }

  private makeRoom(own: number): void {
    const shares = [...new Set(this.open.map(({ share }) => share))].map((share) =>
      this.ofShare(share),
    );
    const largest = shares.reduce((a, b) => (b.length > a.length ? b : a), []);
    const newest = largest.at(-1);
    if (!newest || largest.length <= own + 1)
      throw tooMany('the server has as many open tails as it can have, and others need some, too');
    this.close(newest);
    newest.stop.abort(CROWDED);
  }

  private ofShare(share: string): readonly Place[] {
    return this.open.filter((place) => place.share === share);
  }

  private close(place: Place): void {
    this.open = this.open.filter((each) => each !== place);
  }
}

function tooMany(reason: string): MillraceError {
  return new MillraceError('TOO_MANY_REQUESTS', `${reason}; close one`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
