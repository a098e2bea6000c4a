import { pino, stdSerializers, stdTimeFunctions, type Logger } from 'pino';
import type { LoggerService } from '@nestjs/common';
import { currentIds } from '../tracing/trace.js';
import { isOfEngine, withoutLiterals } from '../errors/without-literals.js';

export type { Logger };

/** Writes JSON lines to stderr; stdout is for texts to the program's user. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      timestamp: stdTimeFunctions.isoTime,
      mixin: () => currentIds() ?? {},
      serializers: { err: serialized },
      redact: [
        'req.headers.authorization',
        'req.headers.cookie',
        'res.headers["set-cookie"]',
        'password',
      ],
    },
    process.stderr,
  );
}

/** The engine quotes statements and values in its errors. */
function serialized(error: Error): object {
  const written = stdSerializers.err(error) as unknown as Readonly<Record<string, unknown>>;
  if (!isOfEngine(error)) return written;
  return Object.fromEntries(
    Object.entries(written).map(([name, value]) => [
      name,
      typeof value === 'string' ? withoutLiterals(value) : value,
    ]),
  );
}

/** Lets Nest write through the same logger. */
export function nestLogger(logger: Logger): LoggerService {
  const context = (rest: unknown[]): { context: string } => {
    const last = rest.at(-1);
    return { context: typeof last === 'string' ? last : 'Nest' };
  };
  // Nest's errors come as (error) or as (message, stack, context).
  const failure = (message: unknown, rest: unknown[]): object => ({
    ...context(rest),
    ...(message instanceof Error
      ? { err: message }
      : { stack: rest.length > 1 ? rest[0] : undefined }),
  });
  return {
    log: (message: unknown, ...rest: unknown[]) => logger.debug(context(rest), String(message)),
    warn: (message: unknown, ...rest: unknown[]) => logger.warn(context(rest), String(message)),
    error: (message: unknown, ...rest: unknown[]) =>
      logger.error(failure(message, rest), String(message)),
    fatal: (message: unknown, ...rest: unknown[]) =>
      logger.fatal(failure(message, rest), String(message)),
  };
}
