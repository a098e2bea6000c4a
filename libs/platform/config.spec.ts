import { readConfig } from './config.js';

describe('readConfig', () => {
  it('listens on loopback, port 5080, when nothing is said', () => {
    expect(readConfig({})).toEqual({ http: { host: '127.0.0.1', port: 5080 } });
  });

  it('takes host and port apart', () => {
    expect(readConfig({ MILLRACE_HTTP_ADDR: '::1:80' }).http).toEqual({ host: '::1', port: 80 });
  });

  it('names the variable that is wrong', () => {
    expect(() => readConfig({ MILLRACE_HTTP_ADDR: 'nowhere' })).toThrow(/MILLRACE_HTTP_ADDR/);
  });
});
