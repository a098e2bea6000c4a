import { z } from 'zod';
import { OperatorError } from '@app/platform';
import { readTlsPair, type TlsFiles, type TlsPair } from './server-tls.js';

export interface TlsConfig {
  readonly files: TlsFiles;
  /** The certificate as the files had it at the start. */
  readonly pair: TlsPair;
}

/** Paths. */
export const tlsVariables = {
  MILLRACE_TLS_CERT: z.string().min(1).optional(),
  MILLRACE_TLS_KEY: z.string().min(1).optional(),
};

interface Values {
  readonly MILLRACE_TLS_CERT?: string | undefined;
  readonly MILLRACE_TLS_KEY?: string | undefined;
}

/** @throws {Error} that names the variable, unless both files are there and belong together */
export function tlsConfig({
  MILLRACE_TLS_CERT: certificate,
  MILLRACE_TLS_KEY: key,
}: Values): TlsConfig | undefined {
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw new OperatorError(
      'configuration: MILLRACE_TLS_CERT and MILLRACE_TLS_KEY need each other',
    );
  const files = { certificate, key };
  try {
    return { files, pair: readTlsPair(files) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new OperatorError(`configuration: ${reason}`, { cause: error });
  }
}
