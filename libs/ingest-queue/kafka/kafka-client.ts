import { Kafka, logLevel, type LogEntry } from 'kafkajs';
import type { Logger } from '@app/platform';

export type KafkaLog = Pick<Logger, 'debug' | 'warn' | 'error'>;

/** Gives up after about half a minute; what waits for it is told so. An idempotent producer would else try for ever. */
export const RETRY = { initialRetryTime: 30, maxRetryTime: 4000, retries: 9 };

export interface ClientOptions {
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly log: KafkaLog;
}

export function kafkaClient({ brokers, log }: ClientOptions): Kafka {
  return new Kafka({
    clientId: 'millrace',
    brokers: [...brokers],
    connectionTimeout: 3000,
    requestTimeout: 15_000,
    retry: RETRY,
    logLevel: logLevel.INFO,
    logCreator: () => writeTo(log),
  });
}

/** What the client calls an error it mostly tries again; what it does not comes out of the call. */
function writeTo(log: KafkaLog): (entry: LogEntry) => void {
  return ({ level, namespace, log: { message, ...rest } }) => {
    const fields = { kafka: namespace, reason: rest['error'] as unknown };
    if (level === logLevel.ERROR) log.warn(fields, message);
    else log.debug(fields, message);
  };
}
