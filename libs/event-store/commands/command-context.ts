import { createHash } from 'node:crypto';
import { type AuthenticatedRequest, callerOf, ulid } from '@app/platform';

/** Says who asked for a command, when, and through which request. */
export interface CommandContext {
  /** The same command sent again carries the same id and changes nothing the second time. */
  readonly commandId: string;
  /**
   * The query and the body of a request with an `Idempotency-Key`. They may hold a password: events
   * have only a fingerprint of them.
   */
  readonly content?: string;
  /** User id, or `system`. */
  readonly actor: string;
  /** ISO 8601, UTC. */
  readonly occurredAt: string;
  /** The id of the organization it is asked of, when there is one. */
  readonly organizationId?: string;
  /** The person whose erasure blanks address and user agent, if that is not the actor. */
  readonly sealedFor?: string;
  readonly address?: string;
  readonly userAgent?: string;
  readonly requestId?: string;
}

/**
 * The command context of an HTTP request. If the same caller sends a request again with the same
 * `Idempotency-Key`, the command id is the same.
 */
export function contextOf(request: AuthenticatedRequest): CommandContext {
  const actor = callerOf(request).userId;
  const key = request.headers['idempotency-key'];
  const userAgent = request.headers['user-agent'];
  return {
    ...(typeof key === 'string'
      ? { commandId: commandIdOf(actor, request, key), content: contentOf(request) }
      : { commandId: ulid() }),
    actor,
    occurredAt: new Date().toISOString(),
    ...(request.organization ? { organizationId: request.organization.id } : {}),
    address: request.ip,
    ...(userAgent === undefined ? {} : { userAgent }),
    requestId: request.id,
  };
}

/**
 * The context of one of several commands that a request causes for the same event stream. Each has
 * its own id.
 */
export function stepOf(context: CommandContext, step: string): CommandContext {
  return { ...context, commandId: `${context.commandId}/${step}` };
}

/** A command that the system itself gives. */
export function systemContext(organizationId?: string): CommandContext {
  return {
    commandId: ulid(),
    actor: 'system',
    occurredAt: new Date().toISOString(),
    ...(organizationId === undefined ? {} : { organizationId }),
  };
}

function contentOf({ url, keyedBody = '' }: AuthenticatedRequest): string {
  const [, ...query] = url.split('?');
  return JSON.stringify([query.join('?'), keyedBody]);
}

/**
 * Keys are the caller's own words. The same key of another caller, or on another route, is a
 * different key.
 */
function commandIdOf(actor: string, request: AuthenticatedRequest, key: string): string {
  const [path] = request.url.split('?', 1);
  const route = `${request.method} ${path}`;
  const words = JSON.stringify([actor, route, key]);
  return createHash('sha256').update(words).digest('hex');
}
