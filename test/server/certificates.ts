import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of files in PEM format. */
export interface Certificates {
  readonly ca: string;
  readonly server: SignedKey;
  readonly client: SignedKey;
  /** The client's key, encrypted. */
  readonly lockedKey: string;
  /** Another authority, which has signed nothing. */
  readonly strangerCa: string;
}

interface SignedKey {
  readonly certificate: string;
  readonly key: string;
}

export const KEY_PASSWORD = 'key-secret';

/** Makes an authority for a test, and the certificates that it signs. */
export function makeCertificates(directory: string): Certificates {
  const at = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => {
    execFileSync('openssl', args, { stdio: 'pipe' });
  };
  const authority = (name: string): SignedKey => {
    const [certificate, key] = [at(`${name}.pem`), at(`${name}.key`)];
    const subject = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', key, '-out', certificate];
    openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject);
    return { certificate, key };
  };
  const ca = authority('ca');
  const signed = (name: string): SignedKey => {
    const [certificate, key, request] = [at(`${name}.pem`), at(`${name}.key`), at(`${name}.csr`)];
    const made = ['-subj', `/CN=${name}`, '-keyout', key, '-out', request];
    openssl('req', '-newkey', 'rsa:2048', '-nodes', ...made);
    writeFileSync(at(`${name}.ext`), 'subjectAltName=IP:127.0.0.1');
    const by = ['-CA', ca.certificate, '-CAkey', ca.key, '-CAcreateserial', '-days', '2'];
    const to = ['-extfile', at(`${name}.ext`), '-out', certificate];
    openssl('x509', '-req', '-in', request, ...by, ...to);
    return { certificate, key };
  };
  const [server, client] = [signed('server'), signed('client')];
  const lockedKey = at('locked.key');
  const locked = ['-passout', `pass:${KEY_PASSWORD}`, '-out', lockedKey];
  openssl('pkcs8', '-topk8', '-in', client.key, ...locked);
  const strangerCa = authority('stranger').certificate;
  return { ca: ca.certificate, server, client, lockedKey, strangerCa };
}

/** The broker wants key and certificate in one file. */
export function keyStore(directory: string, { key, certificate }: SignedKey): string {
  const file = join(directory, 'keystore.pem');
  writeFileSync(file, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'));
  return file;
}
