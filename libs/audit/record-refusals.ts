import type { CommandPipeline } from '@app/event-store';
import { WindowLimiter, within } from '@app/flow';
import {
  type AuthenticatedRequest,
  type Caller,
  type ErrorKind,
  type Logger,
  type MillraceError,
  OutageLog,
  ulid,
} from '@app/platform';

/**
 * The number of entries that a caller may add to the trail in a minute by being refused. More
 * refusals are counted in the next entry.
 */
const RECORDED = { most: 30, windowMs: 60_000, keysMax: 10_000 };
/**
 * A refusal is answered when it is stored, or after this time: a store that is away must not delay
 * the answer.
 */
const WAIT_MS = 1000;

const COMMANDS = new Set(['configure-streams', 'manage-organization', 'account', 'view']);
const CLIENT_ERRORS = { from: 400, to: 499 };
/**
 * The caller was not known, or asked too often. Such refusals are recorded as failed logins, if at
 * all.
 */
const NOT_COMMANDS: ReadonlySet<ErrorKind> = new Set(['UNAUTHORIZED', 'TOO_MANY_REQUESTS']);

export interface CommandRefused {
  readonly type: 'CommandRefused';
  readonly data: {
    readonly method: string;
    readonly route?: string;
    readonly reason: string;
    /** Refusals of the same caller before this one that have no entry of their own. */
    readonly unrecorded?: number;
  };
}

/** Keeps refused commands, so that the audit trail also says who tried what. */
export class RefusalRecorder {
  private readonly recorded = new WindowLimiter(RECORDED);
  private readonly outage = new OutageLog();

  constructor(
    private readonly pipeline: CommandPipeline,
    /**
     * The id of the organization with this name, if the caller belongs to it. Other organizations
     * are not told about the caller, because that would reveal an account to people who do not know
     * it.
     */
    private readonly organizationId: (name: string, caller: Caller) => string | undefined,
    private readonly logger: Logger,
  ) {}

  /** Resolves when it is kept, or after a while. Failing to keep it must not change the answer. */
  async record(failure: MillraceError, request: AuthenticatedRequest): Promise<void> {
    await within(WAIT_MS, this.keep(failure, request), () => undefined);
  }

  private async keep(failure: MillraceError, request: AuthenticatedRequest): Promise<void> {
    const { caller } = request;
    if (!caller || !isRefusedCommand(failure, request)) return;
    const unrecorded = this.recorded.take(caller.userId);
    if (unrecorded === undefined) return;
    const { org } = request.params as { org?: string };
    const organizationId = org === undefined ? undefined : this.organizationId(org, caller);
    const userAgent = request.headers['user-agent'];
    // The route's pattern: the path itself may hold an e-mail.
    const { url: route } = request.routeOptions;
    const data: CommandRefused['data'] = {
      method: request.method,
      ...(route === undefined ? {} : { route }),
      reason: failure.kind,
      ...(unrecorded > 0 ? { unrecorded } : {}),
    };
    try {
      await this.pipeline.record(
        `refusal-${organizationId ?? 'none'}`,
        { type: 'CommandRefused', data } satisfies CommandRefused,
        {
          commandId: ulid(),
          actor: caller.userId,
          occurredAt: new Date().toISOString(),
          ...(organizationId === undefined ? {} : { organizationId }),
          address: request.ip,
          ...(userAgent === undefined ? {} : { userAgent }),
          requestId: request.id,
        },
      );
      this.outage.succeeded();
    } catch (error) {
      this.outage.failed(() =>
        this.logger.error(
          { reason: String(error), requestId: request.id },
          'a refusal could not be kept, and maybe others after it',
        ),
      );
    }
  }
}

function isRefusedCommand(
  { kind, status }: MillraceError,
  { access, method }: AuthenticatedRequest,
): boolean {
  if (NOT_COMMANDS.has(kind) || status < CLIENT_ERRORS.from || status > CLIENT_ERRORS.to)
    return false;
  if (kind === 'FORBIDDEN') return true;
  return method !== 'GET' && access !== undefined && COMMANDS.has(access);
}
