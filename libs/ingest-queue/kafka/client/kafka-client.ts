import { Kafka, logLevel, type KafkaConfig, type LogEntry } from 'kafkajs';
import type { Logger } from '@app/platform';
import type { KafkaAccess } from '../kafka-access.settings.js';
import { steadySocket } from './steady-socket.js';

export type KafkaLog = Pick<Logger, 'debug' | 'warn' | 'error'>;

/**
 * The client gives up after about half a minute, and waiting callers get an error. Otherwise an
 * idempotent producer would try for ever.
 */
export const RETRY = { initialRetryTime: 30, maxRetryTime: 4000, retries: 9 };

export interface ClientOptions {
  /** Undefined means plain connections to brokers without authentication. */
  readonly access?: KafkaAccess;
  /** `host:port` each. */
  readonly brokers: readonly string[];
  readonly log: KafkaLog;
}

export function kafkaClient({ brokers, access, log }: ClientOptions): Kafka {
  return new Kafka({
    clientId: 'millrace',
    brokers: [...brokers],
    ...tlsOf(access?.tls),
    ...saslOf(access?.sasl),
    connectionTimeout: 3000,
    requestTimeout: 15_000,
    retry: RETRY,
    socketFactory: steadySocket,
    logLevel: logLevel.INFO,
    logCreator: () => writeTo(log),
  });
}

function tlsOf(tls: KafkaAccess['tls']): Pick<KafkaConfig, 'ssl'> {
  if (!tls) return {};
  const { ca, client } = tls;
  return {
    ssl: {
      ...(ca === undefined ? {} : { ca }),
      ...(client ? { cert: client.certificate, key: client.key } : {}),
      ...(client?.keyPassword === undefined ? {} : { passphrase: client.keyPassword }),
    },
  };
}

function saslOf(sasl: KafkaAccess['sasl']): Pick<KafkaConfig, 'sasl'> {
  if (!sasl) return {};
  const { mechanism, username, password } = sasl;
  switch (mechanism) {
    case 'PLAIN':
      return { sasl: { mechanism: 'plain', username, password } };
    case 'SCRAM-SHA-256':
      return { sasl: { mechanism: 'scram-sha-256', username, password } };
    case 'SCRAM-SHA-512':
      return { sasl: { mechanism: 'scram-sha-512', username, password } };
  }
}

/**
 * Writes the client's log. The client logs failures as errors that it then mostly tries again. A
 * failure that it does not try again is thrown by the call.
 */
function writeTo(log: KafkaLog): (entry: LogEntry) => void {
  return ({ level, namespace, log: { message, ...rest } }) => {
    const fields = { kafka: namespace, reason: rest['error'] as unknown };
    if (level === logLevel.ERROR) log.warn(fields, message);
    else log.debug(fields, message);
  };
}
