import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeCertificates, type Certificates } from '../server/certificates.js';
import { runMillrace } from '../server/run-millrace.js';
import { ROOT, startServer, type Server } from '../server/start-server.js';

describe('a server that speaks TLS', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  let made: Certificates;
  let server: Server;

  beforeAll(async () => {
    made = makeCertificates(directory);
    const { certificate, key } = made.server;
    const variables = { MILLRACE_TLS_CERT: certificate, MILLRACE_TLS_KEY: key };
    server = await startServer({ variables });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const ask = async (path: string, body?: string, headers: Record<string, string> = {}) => {
    const asked = request(server.url + path, {
      ca: readFileSync(made.ca),
      method: body === undefined ? 'GET' : 'POST',
      auth: `${ROOT.email}:${ROOT.password}`,
      headers,
    });
    const answered = new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      asked.on('response', resolve).on('error', reject);
    });
    asked.end(body);
    const answer = await answered;
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  };

  it('says so in its address, and takes uploads and questions', async () => {
    expect(server.url).toMatch(/^https:/);
    const uploaded = await ask('/api/default/logs/_json?wait=true', '[{"a":1}]');
    expect([uploaded.status, uploaded.text]).toEqual([
      200,
      expect.stringContaining('"successful":1'),
    ]);
    const { status, text: rows } = await ask('/api/default/sql', 'SELECT a FROM logs');
    expect([status, JSON.parse(rows)]).toEqual([200, [{ a: 1 }]]);
    const { text: metrics } = await ask('/metrics');
    expect(metrics).toMatch(/^millrace_tls_certificate_expires_seconds \d{10}$/m);
  });

  it('gives a session to its own page, by a cookie for TLS only', async () => {
    const { host } = new URL(server.url);
    const own = { origin: `https://${host}`, 'x-millrace-console': '1' };
    const { status, headers } = await ask('/api/auth/sign-in', JSON.stringify(ROOT), own);
    expect([status, headers['set-cookie']?.[0]]).toEqual([
      200,
      expect.stringMatching(/^__Host-millrace_session=.*; Secure/),
    ]);
    const plain = { ...own, origin: `http://${host}` };
    expect((await ask('/api/auth/sign-in', JSON.stringify(ROOT), plain)).status).toBe(403);
  });

  it('says at once what millrace upload lacks to reach it', async () => {
    const file = join(directory, 'few.ndjson');
    writeFileSync(file, '{"a":1}\n');
    const upload = (url: string) =>
      runMillrace(['upload', file, '--stream', 'x', '--url', url], { home: directory });
    const stranger = await upload(server.url);
    expect([stranger.code, stranger.stderr]).toEqual([
      3,
      expect.stringMatching(/its certificate is not trusted \(\w+\); NODE_EXTRA_CA_CERTS=<file>/),
    ]);
    const plain = createServer().listen(0, '127.0.0.1');
    await once(plain, 'listening');
    const { port } = plain.address() as AddressInfo;
    const noTls = await upload(`https://127.0.0.1:${port}`);
    plain.close();
    expect([noTls.code, noTls.stderr]).toEqual([
      3,
      expect.stringMatching(/there is no TLS \(\w+\); is it http:/),
    ]);
  });

  it('answers nobody who speaks plain HTTP, and goes on', async () => {
    await expect(fetch(server.url.replace('https:', 'http:'))).rejects.toThrow();
    expect((await ask('/healthz')).status).toBe(200);
  });

  it('takes uploads of the command line', async () => {
    const variables = { NODE_EXTRA_CA_CERTS: made.ca };
    const args = ['upload', '-', '--url', server.url, '--stream', 'cli', '--format', 'ndjson'];
    const { code, stderr } = await runMillrace([...args, '--wait'], {
      home: directory,
      input: '{"b":2}\n',
      variables,
    });
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('rror')]);
    expect(JSON.parse((await ask('/api/default/sql', 'SELECT b FROM cli')).text)).toEqual([
      { b: 2 },
    ]);
  });

  it('does not start with half of a pair, or with one that is none', async () => {
    const { certificate, key } = made.server;
    const start = (variables: Record<string, string>) => startServer({ variables });
    await expect(start({ MILLRACE_TLS_CERT: certificate })).rejects.toThrow(
      'MILLRACE_TLS_CERT and MILLRACE_TLS_KEY need each other',
    );
    await expect(
      start({ MILLRACE_TLS_CERT: certificate, MILLRACE_TLS_KEY: made.client.key }),
    ).rejects.toThrow('MILLRACE_TLS_KEY: this key is not that of the certificate');
    expect(key).not.toBe(made.client.key);
  });
});
