import fc from 'fast-check';
import { startEdge, type Edge } from '../../server/start-edge.js';
import { message, postgresClient, rawConnection, STARTUP } from '../../server/postgres-client.js';

const READY = 'Z\0\0\0\u0005I';

describe('bytes that no client of PostgreSQL sends', () => {
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(['--addr-postgres', '127.0.0.1:0', '-t', 'cities=uk_cities_with_headers.csv']); // prettier-ignore
  }, 120_000);
  afterAll(() => edge.stop());

  afterEach(async () => {
    const client = await postgresClient(edge);
    expect((await client.query('SELECT count(*)::int AS n FROM cities')).rows).toEqual([{ n: 37 }]);
    await client.end();
  });

  it.each([
    ['a request of HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['a length of two gibibytes', Buffer.from('7fffffff00030000', 'hex')],
    ['a length below itself', Buffer.from('0000000000030000', 'hex')],
    ['another protocol', message('', 2 << 16, 'user', 'ann', Buffer.from([0]))],
    ['no user', message('', 3 << 16, Buffer.from([0]))],
    ['parameters without an end', message('', 3 << 16, Buffer.from('user\0ann'))],
    ['text that is not UTF-8', message('', 3 << 16, Buffer.from('user\0\xff\0\0', 'latin1'))],
  ])('at the start, %s, end the connection with a reason', async (_, bytes) => {
    const raw = await rawConnection(edge);
    raw.socket.write(bytes);
    await raw.ended();
    expect(raw.received().toString('latin1')).toMatch(/^E[^]*SFATAL\0/);
  });

  it.each([
    ['an unknown type', message('?', 'x')],
    ['a huge length', Buffer.from('517fffffff', 'hex')],
    ['a statement without its end', message('Q', Buffer.from('SELECT 1'))],
    [
      'more parameters than there are bytes',
      message('P', '', 'SELECT 1', Buffer.from('ffff', 'hex')),
    ],
    [
      'a value longer than its message',
      message('B', '', '', Buffer.from('0000000100000fff0000', 'hex')),
    ],
    [
      'a value of a negative length',
      message('B', '', '', Buffer.from('00000001fffffff00000', 'hex')),
    ],
    ['a format that there is not', message('B', '', '', Buffer.from('00010007', 'hex'))],
    ['neither statement nor portal', message('D', Buffer.from('X\0'))],
    ['text that is not UTF-8', message('Q', Buffer.from('SELECT \xff\0', 'latin1'))],
    ['an answer to a question that nobody asked', message('p', 'secret')],
  ])('later, %s, end the connection with a reason', async (_, bytes) => {
    const raw = await rawConnection(edge);
    raw.socket.write(STARTUP);
    await raw.heard(READY);
    raw.socket.write(bytes);
    await raw.ended();
    expect(raw.received().toString('latin1')).toMatch(/SFATAL\0/);
  });

  it.each(['INSERT INTO cities VALUES ($1)', 'SELECT nope FROM cities WHERE lat > $1'])(
    'tells what is wrong in %s before a Sync, for which postgres.js waits with its own',
    async (text) => {
      const raw = await rawConnection(edge);
      raw.socket.write(STARTUP);
      await raw.heard(READY);
      const described = [
        message('P', '', text, Buffer.from('0000', 'hex')),
        message('D', Buffer.from('S\0')),
        message('H'),
      ];
      raw.socket.write(Buffer.concat(described));
      await raw.heard('SERROR');
      raw.socket.write(message('S'));
      await raw.heard(READY);
      raw.socket.destroy();
    },
  );

  it('answers what is sent all at once, each in its turn', async () => {
    const raw = await rawConnection(edge);
    const execute = [
      message('P', '', 'SELECT number FROM numbers(3)', Buffer.from('0000', 'hex')),
      message('B', '', '', Buffer.from('000000000000', 'hex')),
      message('E', '', 2),
      message('E', '', 0),
      message('S'),
    ];
    const broken = [message('P', '', 'SELECT nope', Buffer.from('0000', 'hex')), message('B', '', '', Buffer.from('000000000000', 'hex')), message('E', '', 0), message('E', '', 0), message('S')]; // prettier-ignore
    raw.socket.write(Buffer.concat([STARTUP, ...execute, ...broken, ...execute, message('X')]));
    await raw.ended();
    const types = messageTypes(raw.received());
    expect(types.replace(/^R[SK]*Z/, '')).toBe('12DDsDCZ1' + '2EZ' + '12DDsDCZ');
  });

  it('bounds what one connection keeps', async () => {
    const raw = await rawConnection(edge);
    raw.socket.write(STARTUP);
    await raw.heard(READY);
    const many = Array.from({ length: 1100 }, (_, at) => message('P', `s${at}`, 'SELECT 1', Buffer.from('0000', 'hex'))); // prettier-ignore
    raw.socket.write(Buffer.concat([...many, message('S'), message('X')]));
    await raw.ended();
    const types = messageTypes(raw.received()).replace(/^R[SK]*Z/, '');
    expect(types).toMatch(/^1{1000}EZ$/);
    expect(raw.received().toString()).toContain('C53400');
  }, 60_000);

  it('goes on after any bytes, whole messages or cut ones', async () => {
    const types = fc.constantFrom(...'QPBDECHSFXpdcf?'.split(''));
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom('SELECT 1\0', '\0SELECT $1\0\0\0', 'S\0', 'P\0', '\0\0\0\0\0\0\0\0', "'\0", 'BEGIN;;COMMIT\0').map((text) => Buffer.from(text)), // prettier-ignore
    );
    const any = fc.array(fc.tuple(types, bodies).map(([type, body]) => message(type, body)), { minLength: 1, maxLength: 8 }); // prettier-ignore
    await fc.assert(
      fc.asyncProperty(any, fc.nat(40), async (messages, cut) => {
        const raw = await rawConnection(edge);
        const bytes = Buffer.concat([STARTUP, ...messages]);
        raw.socket.end(bytes.subarray(0, bytes.length - (cut % bytes.length)));
        await raw.ended();
      }),
      { numRuns: 150 },
    );
    expect((await edge.get('/health')).text).toBe('OK');
  }, 240_000);
});

/** The types of all messages, in order. */
function messageTypes(bytes: Buffer): string {
  let types = '';
  for (let at = 0; at < bytes.length; at += 1 + bytes.readInt32BE(at + 1)) types += String.fromCharCode(bytes[at] ?? 0); // prettier-ignore
  return types;
}
