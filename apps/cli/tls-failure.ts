import { CliError, EXIT } from './exit-code.js';

const CERTIFICATE = /CERT|^UNABLE_TO_/;
const NO_TLS = /^(?:EPROTO|ERR_SSL_)/;

/** Says what is wrong with a connection by TLS, which does not get better by waiting. */
export function tlsFailure({ code = '' }: NodeJS.ErrnoException, url: URL): CliError | undefined {
  if (url.protocol !== 'https:') return undefined;
  if (CERTIFICATE.test(code))
    return new CliError(
      EXIT.unavailable,
      `${url.origin}: its certificate is not trusted (${code}); NODE_EXTRA_CA_CERTS=<file> names an authority of your own`,
    );
  return NO_TLS.test(code)
    ? new CliError(EXIT.unavailable, `${url.origin}: there is no TLS (${code}); is it http://?`)
    : undefined;
}
