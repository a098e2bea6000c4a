import { EventStoreDbDouble } from '../doubles/eventstoredb/eventstoredb-double.js';
import { startServer, type Server } from '../server/start-server.js';
import { until } from '../server/until.js';

const AT_ONCE_MS = 3000;
const MAX_WAIT_MS = 20_000;
const TIMEOUT_MS = 120_000;
const EVENT_STORE_LINES = /(?<="msg":")the event store[^"]*/g;

const timed = async <T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> => {
  const started = performance.now();
  return { result: await work(), ms: performance.now() - started };
};

/**
 * A caller must learn of it soon, and an operator by a few lines of the log. Each case waits for a
 * minute's end, so they run at the same time, each with a server of its own.
 */
describe('a server whose event store is away', () => {
  type Step = (double: EventStoreDbDouble) => Promise<void>;
  const cases: [string, Step, Step][] = [
    ['gone', (double) => double.stop(), (double) => double.resume()],
    ['silent', async (double) => void double.hold(), async (double) => void double.release()],
  ];
  const installations = new Map<string, { double: EventStoreDbDouble; server: Server }>();

  beforeAll(async () => {
    for (const [how] of cases) {
      const double = await EventStoreDbDouble.start();
      const variables = { EVENTSTORE_URL: double.url, MILLRACE_LOG_LEVEL: 'warn' };
      installations.set(how, { double, server: await startServer({ variables }) });
    }
  });
  afterAll(async () => {
    for (const { double, server } of installations.values()) {
      await server.stop();
      await double.stop();
    }
  });

  it.concurrent.each(cases)(
    'tells so soon when it is %s, refuses wrong credentials at once, and goes on by itself',
    async (how, leave, comeBack) => {
      const installation = installations.get(how);
      if (!installation) throw new Error(`no server was started for it to be ${how}`);
      const { double, server } = installation;
      const rotate = () => server.client.call('/api/default/passcode', { method: 'PUT' });
      const awaySince = async (): Promise<number> => {
        const text = (await server.client.call('/metrics')).bytes.toString();
        return Number(/^millrace_event_store_away_since_seconds (\S+)$/m.exec(text)?.[1] ?? NaN);
      };
      const failedLogins = async (): Promise<number> => {
        const answer = await server.client.call('/api/default/audit?type=LoginFailed');
        return answer.json<{ total: number }>().total;
      };
      expect((await rotate()).status).toBe(200);
      expect(await awaySince()).toBe(0);
      const before = server.output().length;
      const known = await failedLogins();
      await leave(double);
      const first = await timed(rotate);
      expect([first.result.status, first.result.headers['retry-after']]).toEqual([503, '5']);
      // A cluster that elects a leader is waited for.
      expect(first.ms).toBeGreaterThan(MAX_WAIT_MS / 2);
      for (let n = 0; n < 3; n += 1) {
        const { result, ms } = await timed(rotate);
        expect([result.status, result.headers['retry-after']]).toEqual([503, '5']);
        expect(ms).toBeLessThan(AT_ONCE_MS);
      }
      for (let n = 0; n < 3; n += 1) {
        const credentials = { email: `nobody-${how}-${n}@example.com`, password: 'wrong' };
        const wrong = await timed(() => server.client.call('/api/default/users', { credentials }));
        expect([wrong.result.status, wrong.ms < AT_ONCE_MS]).toEqual([401, true]);
      }
      for (let n = 0; n < 3; n += 1) {
        const refused = await server.client.call('/api/default/no', { method: 'DELETE' });
        expect(refused.status).toBe(404);
      }
      expect(Math.abs((await awaySince()) - Date.now() / 1000)).toBeLessThan(120);
      await comeBack(double);
      await until(async () => (await awaySince()) === 0);
      await until(async () => (await rotate()).status === 200);
      const lines = server.output().slice(before);
      const told = lines.match(EVENT_STORE_LINES) ?? [];
      expect(told).toEqual([
        'the event store does not answer; it is asked again',
        'the event store answers again',
      ]);
      expect(lines).not.toMatch(/eventstoredb[^\n]*\.js:/);
      for (const what of ['failed logins', 'a refusal'])
        expect([what, lines.split(`${what} could not be kept`).length <= 2]).toEqual([what, true]);
      // They are counted for the minute's end, when it was away at the first.
      await until(async () => (await failedLogins()) > known, 70_000);
    },
    TIMEOUT_MS,
  );
});
