import { jest } from '@jest/globals';
import { MillraceError } from '@app/platform';
import {
  OrganizationQueries,
  type OrganizationQueryLimits,
  type Turn,
} from './organization-queries.js';

const LIMITS = {
  running: 2,
  waiting: 2,
  waitSeconds: 60,
  seconds: 1e9,
  resultBytes: 1e9,
  readRows: 1e9,
  readBytes: 1e9,
};
const NEVER = new AbortController().signal;

const queries = (limits: Partial<OrganizationQueryLimits> = {}): OrganizationQueries =>
  new OrganizationQueries({ ...LIMITS, ...limits });

async function refusal(asked: Promise<Turn>): Promise<MillraceError> {
  const error = await asked.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MillraceError);
  expect((error as MillraceError).status).toBe(429);
  return error as MillraceError;
}

describe('an organization’s queries', () => {
  it('take turns in the order they came, and others are not concerned', async () => {
    const organizations = queries();
    const order: number[] = [];
    const turns = [await organizations.enter('a', NEVER), await organizations.enter('a', NEVER)];
    const waiting = [1, 2].map((n) =>
      organizations.enter('a', NEVER).then((turn) => {
        order.push(n);
        return turn;
      }),
    );
    expect((await refusal(organizations.enter('a', NEVER))).message).toMatch(/2 .* run and 2 wait/);
    (await organizations.enter('b', NEVER)).end(0);
    expect(order).toEqual([]);
    turns[1]?.end(0);
    turns[1]?.end(0);
    await waiting[0];
    expect(order).toEqual([1]);
    turns[0]?.end(0);
    for (const turn of await Promise.all(waiting)) turn.end(0);
    expect(order).toEqual([1, 2]);
    (await organizations.enter('a', NEVER)).end(0);
  });

  it('leave the line when their client does', async () => {
    const organizations = queries({ running: 1, waiting: 1 });
    const turn = await organizations.enter('a', NEVER);
    const gone = new AbortController();
    const left = organizations.enter('a', gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    await expect(organizations.enter('a', gone.signal)).rejects.toThrow('gone');
    const next = organizations.enter('a', NEVER);
    turn.end(0);
    (await next).end(0);
  });

  it('are told when no turn came in time', async () => {
    const organizations = queries({ running: 1, waitSeconds: 0.01 });
    const turn = await organizations.enter('a', NEVER);
    expect((await refusal(organizations.enter('a', NEVER))).message).toMatch(/no turn within/);
    turn.end(0);
    (await organizations.enter('a', NEVER)).end(0);
  });

  it('wait until what they took beyond their allowance is made good', async () => {
    const bytes = queries({ resultBytes: 100 });
    (await bytes.enter('a', NEVER)).end(250);
    const error = await refusal(bytes.enter('a', NEVER));
    expect(error.message).toMatch(/100 bytes of results a minute/);
    // The query used 150 of 100 a minute, so it takes a minute and a half.
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(90);
    expect(error.retryAfterSeconds).toBeLessThanOrEqual(91);
    (await bytes.enter('b', NEVER)).end(0);
  });

  it.each([
    ['rows', { rowsRead: 250, bytesRead: 0 }, { readRows: 100 }],
    ['bytes', { rowsRead: 0, bytesRead: 250 }, { readBytes: 100 }],
  ])('may read so many %s a minute', async (what, read, limits) => {
    const organizations = queries(limits);
    (await organizations.enter('a', NEVER)).end(0, read);
    const error = await refusal(organizations.enter('a', NEVER));
    expect(error.message).toContain(`100 ${what} read a minute`);
    expect(error.retryAfterSeconds).toBeGreaterThanOrEqual(90);
    (await organizations.enter('b', NEVER)).end(0, read);
  });

  it('lose nothing of their allowance when the clock of the machine is set', async () => {
    const organizations = queries({ seconds: 10, resultBytes: 1000 });
    (await organizations.enter('a', NEVER)).end(500);
    for (const hours of [-24, 24, -1]) {
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + hours * 3_600_000);
      (await organizations.enter('a', NEVER)).end(1);
      clock.mockRestore();
    }
    (await organizations.enter('a', NEVER)).end(600);
    await refusal(organizations.enter('a', NEVER));
  });
});
