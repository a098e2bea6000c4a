import type { EdgeEnvironment } from './edge-environment.js';
import { readEdgeConfig, type EdgeConfig } from './edge-config.js';

const nothing: EdgeEnvironment = {
  host: undefined,
  port: undefined,
  user: undefined,
  password: undefined,
  token: undefined,
};

async function read(line: string, environment: Partial<EdgeEnvironment> = {}): Promise<EdgeConfig> {
  const config = await readEdgeConfig(line.split(' '), { ...nothing, ...environment });
  if (typeof config === 'string') throw new Error(`asked for ${config}`);
  return config;
}

describe('arguments of the edge program', () => {
  it('listen on loopback, writable, in JSON, by default', async () => {
    expect(await read('-t a=b.csv')).toMatchObject({
      http: { host: '127.0.0.1', port: 8080 },
      readOnly: false,
      responseFormat: 'json',
      cors: [],
    });
  });

  it.each([
    ['-t a=b.csv -a 0.0.0.0:80', true],
    ['-t a=b.csv -a 0.0.0.0:80 -d', false],
    ['-t a=b.csv -a 0.0.0.0:80 --token x', false],
    ['-t a=b.csv -a [::1]:80', false],
    ['-t a=b.csv --cors *', true],
    ['-t a=b.csv --cors https://a.example', true],
    ['-t a=b.csv --cors * --token x', false],
    ['-t a=b.csv --cors * -d', false],
    ['-t a=b.csv --read-only', true],
  ])('%s: read-only is %s', async (line, readOnly) => {
    expect((await read(line)).readOnly).toBe(readOnly);
  });

  it('take the address from HOST and PORT as ROAPI does', async () => {
    const { http } = await read('-t a=b.csv', { port: '9000' });
    expect(http).toEqual({ host: '127.0.0.1', port: 9000 });
  });

  it('follow an organization with credentials of the environment', async () => {
    const { follow } = await read('--follow http://h:5080 --org acme --follow-interval 0.5', {
      user: 'a@b.c',
      password: 'x',
    });
    expect(follow).toEqual({
      url: new URL('http://h:5080/'),
      organization: 'acme',
      user: 'a@b.c',
      password: 'x',
      intervalSeconds: 0.5,
    });
  });

  it.each(['', '-h', '--help', '--help --table x'])('%j asks for help', async (line) => {
    const argv = line === '' ? [] : line.split(' ');
    expect(await readEdgeConfig(argv, nothing)).toBe('help');
  });

  it.each([
    ['--tabl a=b.csv', 'unknown option --tabl; did you mean "--table"?'],
    ['b.csv', "'b.csv'"],
    ['-c roapi.json', 'roapi.json: want a file that ends in .yaml, .yml or .toml'],
    ['--read-only', 'there is nothing to serve'],
    ['-t a=b.csv --read-only -d', 'not both'],
    ['-t a=b.csv -t a=c.csv', 'table "a" is there twice'],
    ['-t a=b.csv -a nowhere', '--addr-http nowhere: want <host>:<port>'],
    ['-t a=b.csv -r never', '--reload-interval never: want a number of seconds'],
    ['-t a=b.csv -f Xml', '--response-format Xml: want Json'],
    ['-t a=b.csv --cors example.com', 'cors example.com: want an origin'],
    ['-t a=b.csv --org acme', '--org belongs to --follow'],
    ['--follow http://h:1', 'MILLRACE_USER and MILLRACE_PASSWORD'],
    ['--follow ftp://h', "want the server's URL"],
    ['--follow http://a:b@h:1', 'credentials go into'],
    ['-t', "'-t"],
  ])('%s is refused', async (line, message) => {
    const credentials = line.startsWith('--follow http://a') ? { user: 'u', password: 'p' } : {};
    await expect(
      read(line, line.startsWith('--follow ftp') ? { user: 'u', password: 'p' } : credentials),
    ).rejects.toThrow(message);
  });
});
