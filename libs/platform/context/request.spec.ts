import fc from 'fast-check';
import { callerOf, organizationOf, requestId, type AuthenticatedRequest } from './request.js';

const UUID = /^[0-9a-f-]{36}$/;
const sent = (id?: string | string[]) => requestId({ headers: { 'x-request-id': id } });

describe('requestId', () => {
  it('takes the client’s when it is a plain word', () => {
    expect(sent('job-17_b')).toBe('job-17_b');
    expect(sent('x'.repeat(64))).toHaveLength(64);
  });

  it('makes one when there is none, or several, or one that is no plain word', () => {
    const unusable = [undefined, ['a', 'b'], '', 'x'.repeat(65), 'a b', 'a\r\nSet-Cookie: b', 'é'];
    for (const id of unusable) expect(sent(id)).toMatch(UUID);
    expect(sent()).not.toBe(sent());
  });

  it('never lets anything into a header or log line that could break it', () => {
    fc.assert(fc.property(fc.string(), (id) => /^[A-Za-z0-9_-]{1,64}$/.test(sent(id))));
  });
});

describe('a request that nobody authenticated', () => {
  const request = {} as AuthenticatedRequest;

  it('has neither caller nor organization', () => {
    expect(() => callerOf(request)).toThrow(
      expect.objectContaining({ kind: 'UNAUTHORIZED' }) as Error,
    );
    expect(() => organizationOf(request)).toThrow(
      expect.objectContaining({ kind: 'FORBIDDEN' }) as Error,
    );
  });
});
