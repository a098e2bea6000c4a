import { cookieIn } from './session-cookie.js';

const PLAIN = 'millrace_session=plain';
const OF_HOST = '__Host-millrace_session=of-host';

describe('the cookie of a session', () => {
  it.each([
    ['http', PLAIN, 'plain'],
    ['http', `${PLAIN}; ${OF_HOST}`, 'of-host'],
    ['https', `${PLAIN}; ${OF_HOST}`, 'of-host'],
    ['https', PLAIN, undefined],
  ] as const)('over %s, of %s, is %s', (protocol, cookie, sealed) => {
    expect(cookieIn({ headers: { cookie }, protocol })).toBe(sealed);
  });
});
