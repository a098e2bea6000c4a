import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, startServer, type Server } from '../server/start-server.js';
import { pythonPackages } from './python-packages.js';

const RUN_MS = 900_000;
/** Each route gets so many requests. */
const REQUESTS = 20;
/** These routes are left out: they take long by their nature, or end sessions that the others need. */
const LEFT_OUT = '/api/auth|_tail|graphql$';
const CHECKS = 'not_a_server_error,status_code_conformance,content_type_conformance';

/** It is undefined where schemathesis cannot be had. */
const packages = pythonPackages('schemathesis.txt');
const program = packages && join(packages, 'bin/schemathesis');

function generated(schemathesis: string): void {
  let server: Server;
  let folder: string;
  beforeAll(async () => {
    server = await startServer({ variables: { MILLRACE_SIGNUP: 'open' } });
    folder = mkdtempSync(join(tmpdir(), 'millrace-generated-'));
    await server.client.upload('logs', [{ level: 'info', n: 1 }]);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.stop();
  });

  it(
    'are answered as the document says, and never by a failure of the server',
    async () => {
      const { bytes } = await server.client.call('/openapi.json');
      const document = join(folder, 'openapi.json');
      writeFileSync(document, bytes);
      const seed = Math.floor(Math.random() * 1e9);
      const args = [
        'run',
        document,
        '--url',
        server.url,
        '--auth',
        `${ROOT.email}:${ROOT.password}`,
      ];
      args.push('--phases', 'examples,fuzzing', '-n', String(REQUESTS), '--seed', String(seed));
      args.push('-c', CHECKS, '--exclude-path-regex', LEFT_OUT, '--no-color', '--warnings', 'off');
      const options = { cwd: folder, timeout: RUN_MS };
      // It also ends with 1 for bodies that it cannot write, as those of Parquet.
      const { stdout } = await promisify(execFile)(schemathesis, args, options).catch(
        (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
      );
      expect(stdout).toMatch(/Tested: \d\d/);
      expect(/=+ FAILURES =+[^]*/.exec(stdout)?.[0]).toBeUndefined();
    },
    RUN_MS,
  );
}

describe('requests that a program makes of the OpenAPI document', () => {
  if (program === undefined)
    it('are not sent: schemathesis cannot be had here (python3, a registry of its packages)', () => {
      expect(program).toBeUndefined();
    });
  else generated(program);
});
