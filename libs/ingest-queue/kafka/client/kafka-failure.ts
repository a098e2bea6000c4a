import kafkajs from 'kafkajs';
import { MillraceError } from '@app/platform';

const RETRY_AFTER_SECONDS = 5;

const chain = (error: unknown): readonly unknown[] =>
  error instanceof Error && error.cause !== undefined ? [error, ...chain(error.cause)] : [error];

const typesOf = (error: unknown): readonly unknown[] =>
  chain(error).map((each) => (each as { readonly type?: unknown } | undefined)?.type);

/** The group has rebalanced, so the new consumer of the partition gets the records again. */
const MOVED_ON = new Set([
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'REBALANCE_IN_PROGRESS',
  'FENCED_INSTANCE_ID',
]);

export const hasMovedOn = (error: unknown): boolean =>
  typesOf(error).some((type) => typeof type === 'string' && MOVED_ON.has(type));

/**
 * Turns a failure into the error that callers of the port see: the broker is away, slow or full, or
 * the caller made a mistake.
 */
export function toFailure(error: unknown): unknown {
  const late = error instanceof Error && error.name === 'AbortError';
  if (error instanceof MillraceError || !(error instanceof kafkajs.KafkaJSError || late))
    return error;
  if (typesOf(error).includes('MESSAGE_TOO_LARGE'))
    return new MillraceError(
      'UPLOAD_TOO_LARGE',
      'one record of the upload is larger than the ingest queue takes at once; split it',
      { cause: error },
    );
  if (typesOf(error).includes('INVALID_TRANSACTION_TIMEOUT'))
    return new MillraceError(
      'UPLOAD_TOO_LARGE',
      "the upload may take longer than the ingest queue's transactions last (transaction.max.timeout.ms of its brokers); nothing of it was stored; split it",
      { cause: error },
    );
  return new MillraceError(
    'QUEUE_UNAVAILABLE',
    'the ingest queue does not answer; it is not known whether the upload was stored: send it again with the same Idempotency-Key',
    { retryAfterSeconds: RETRY_AFTER_SECONDS, cause: error },
  );
}

/** The error for messages that were not sent, because the messages before them got no answer. */
export const notSent = (cause: unknown): MillraceError =>
  new MillraceError(
    'QUEUE_UNAVAILABLE',
    'the ingest queue does not answer; nothing of the upload was stored: send it again later',
    { retryAfterSeconds: RETRY_AFTER_SECONDS, cause },
  );

export const unavailable = (error: unknown): boolean =>
  error instanceof MillraceError && error.kind === 'QUEUE_UNAVAILABLE';
