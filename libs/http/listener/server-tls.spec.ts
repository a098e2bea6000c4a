import { once } from 'node:events';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { makeCertificates, type Certificates } from '../../../test/server/certificates.js';
import { until } from '../../../test/server/until.js';
import { followTlsFiles, readTlsPair } from './server-tls.js';

describe('the certificate of the server', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  const files = { certificate: join(directory, 'tls.crt'), key: join(directory, 'tls.key') };
  let made: Certificates;

  const use = ({ certificate, key }: Certificates['server']): void => {
    copyFileSync(certificate, files.certificate);
    copyFileSync(key, files.key);
  };
  beforeAll(() => {
    made = makeCertificates(directory);
    use(made.server);
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('is read with its key, and with the time when it ends', () => {
    const { cert, key, expires } = readTlsPair(files);
    expect([cert, key].map((text) => text.startsWith('-----BEGIN '))).toEqual([true, true]);
    expect(expires.getTime()).toBeGreaterThan(Date.now() + 86_400_000);
  });

  it.each([
    ['MILLRACE_TLS_CERT: want a file in PEM form with a certificate', 'key', 'key'],
    ['MILLRACE_TLS_KEY: want a file in PEM form with a private key', 'certificate', 'certificate'],
    ['MILLRACE_TLS_KEY: this key is not that of', 'certificate', 'other'],
    ['MILLRACE_TLS_CERT: /nowhere/a.pem cannot be read (ENOENT)', 'nowhere', 'key'],
  ])('is refused: %s', (message, certificate, key) => {
    const path: Record<string, string> = {
      certificate: made.server.certificate,
      key: made.server.key,
      other: made.client.key,
      nowhere: '/nowhere/a.pem',
    };
    const pair = { certificate: path[certificate] ?? '', key: path[key] ?? '' };
    expect(() => readTlsPair(pair)).toThrow(message);
  });

  it('is another one as soon as the files are, and stays while they are none', async () => {
    use(made.server);
    const first = readTlsPair(files);
    const server: Server = createServer(first);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const told: string[] = [];
    const log = {
      info: (_: object, message: string) => told.push(message),
      error: ({ reason }: { reason?: string }) => told.push(reason ?? ''),
    };
    const certificate = followTlsFiles(server, files, first, log, 5);
    const { port } = server.address() as AddressInfo;
    const shown = async (): Promise<unknown> => {
      const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return subject.CN;
    };
    try {
      expect(await shown()).toBe('server');
      writeFileSync(files.certificate, 'half of');
      await until(() => Promise.resolve(told.length > 0));
      expect(await shown()).toBe('server');
      use(made.client);
      await until(async () => (await shown()) === 'client');
      expect(told[0]).toContain('MILLRACE_TLS_CERT: want a file in PEM form');
      expect(told.at(-1)).toBe('the server shows a new certificate');
    } finally {
      certificate.stop();
      server.close();
      server.closeAllConnections();
    }
  });
});
