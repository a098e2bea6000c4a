import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TlsOptions } from 'node:tls';
import { gauge, OperatorError } from '@app/platform';

/** Files in PEM form; the certificate comes with those between it and its authority. */
export interface TlsFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  /** The time when the server's own certificate ends. */
  readonly expires: Date;
}

/** A server that can change its certificate while it serves. */
interface TlsServer {
  setSecureContext(options: TlsOptions): void;
}

interface TlsLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Certificates are replaced days before they expire, so checking once a minute is enough. */
const LOOK_MS = 60_000;

/** @throws {Error} that names the variable of the file that cannot be used */
export function readTlsPair(files: TlsFiles): TlsPair {
  const cert = read('MILLRACE_TLS_CERT', files.certificate);
  const key = read('MILLRACE_TLS_KEY', files.key);
  const certificate = parsed('MILLRACE_TLS_CERT', 'a certificate', () => new X509Certificate(cert));
  const privateKey = parsed('MILLRACE_TLS_KEY', 'a private key without a password', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new OperatorError(
      'MILLRACE_TLS_KEY: this key is not that of the certificate MILLRACE_TLS_CERT',
    );
  return { cert, key, expires: new Date(certificate.validTo) };
}

/** The certificate that a server shows. */
interface ShownCertificate {
  readonly expires: Date;
  /** Stops watching the files. */
  stop(): void;
}

/** Exports when a server's certificate expires; undefined: it has none. */
export function measureCertificate(shown: ShownCertificate | undefined): void {
  gauge({
    name: 'millrace_tls_certificate_expires_seconds',
    help: 'When the certificate ends that the server shows, in seconds since the epoch; 0: it speaks plain HTTP',
    collect: (expires) => expires.set(Math.floor((shown?.expires.getTime() ?? 0) / 1000)),
  });
}

/**
 * Gives the server the certificate and key of the files whenever these change. A pair that cannot
 * be used changes nothing: the former pair remains, and the log says so once.
 */
export function followTlsFiles(
  server: TlsServer,
  files: TlsFiles,
  first: TlsPair,
  log: TlsLog,
  everyMs = LOOK_MS,
): ShownCertificate {
  let used = first;
  let lastProblem = '';
  const look = (): void => {
    try {
      const pair = readTlsPair(files);
      lastProblem = '';
      if (pair.cert === used.cert && pair.key === used.key) return;
      server.setSecureContext(pair);
      used = pair;
      log.info({ expires: used.expires }, 'the server shows a new certificate');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (reason === lastProblem) return;
      lastProblem = reason;
      log.error(
        { reason },
        'the files of the certificate changed and cannot be used; the one before goes on',
      );
    }
  };
  const timer = setInterval(look, everyMs);
  timer.unref();
  return {
    get expires() {
      return used.expires;
    },
    stop: () => clearInterval(timer),
  };
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new OperatorError(`${name}: ${path} cannot be read (${code})`, { cause: error });
  }
}

/** The parser's own message is not repeated: it may show what is in the file. */
function parsed<T>(name: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new OperatorError(`${name}: want a file in PEM form with ${what}`);
  }
}
