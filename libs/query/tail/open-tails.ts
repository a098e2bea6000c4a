import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { isOverShare, KeyedCounter } from '@app/flow';
import { MillraceError, type Caller, type RequestOrganization } from '@app/platform';

/**
 * The limits of open tails: for the organizations of one share, for one caller, and for this
 * process.
 */
const MOST = { organization: 32, caller: 8, process: 256 } as const;
const WHOSE = { organization: 'your organization has', caller: 'you have' } as const;
const RETRY_SECONDS = 10;

/** The place of an open tail. */
interface OpenTail {
  /** Aborts when the server stops. */
  readonly stopping: AbortSignal;
  readonly close: () => void;
}

/** Limits how many tails are open, so that a new organization always finds room, and ends them all when the server stops. */
@Injectable()
export class OpenTails implements OnModuleDestroy {
  private readonly open = new KeyedCounter();
  private readonly stopping = new AbortController();

  /** @throws {MillraceError} TOO_MANY_REQUESTS, SHUTTING_DOWN */
  begin({ share }: RequestOrganization, { userId }: Caller): OpenTail {
    if (this.stopping.signal.aborted)
      throw new MillraceError('SHUTTING_DOWN', 'the server stops; come again', {
        retryAfterSeconds: 1,
      });
    const counted = { organization: `o ${share}`, caller: `c ${userId}`, process: 'p' };
    const kinds = ['caller', 'organization', 'process'] as const;
    for (const kind of ['caller', 'organization'] as const)
      if (this.open.of(counted[kind]) >= MOST[kind])
        throw tooMany(`${WHOSE[kind]} ${MOST[kind]} open tails, and no more may be at a time`);
    const own = this.open.of(counted.organization);
    if (isOverShare(own + 1, this.open.of(counted.process), MOST.process))
      throw tooMany('the server has many open tails, and others need some, too');
    for (const kind of kinds) this.open.add(counted[kind], 1);
    let isOpen = true;
    return {
      stopping: this.stopping.signal,
      close: () => {
        if (isOpen) for (const kind of kinds) this.open.add(counted[kind], -1);
        isOpen = false;
      },
    };
  }

  /** Ends all tails. It runs before the server waits for running answers. */
  onModuleDestroy(): void {
    this.stopping.abort();
  }
}

function tooMany(reason: string): MillraceError {
  return new MillraceError('TOO_MANY_REQUESTS', `${reason}; close one`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
