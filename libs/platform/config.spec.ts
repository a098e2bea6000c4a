import { readConfig } from './config.js';

describe('readConfig', () => {
  it('listens on loopback, port 5080, with data in ./data, when nothing is said', () => {
    const config = readConfig({});
    expect(config.http).toEqual({ host: '127.0.0.1', port: 5080 });
    expect(config.dataDirectory).toBe(`${process.cwd()}/data`);
    expect(config.root).toEqual({ email: 'root@example.com', password: undefined });
  });

  it('takes host and port apart', () => {
    expect(readConfig({ MILLRACE_HTTP_ADDR: '::1:80' }).http).toEqual({ host: '::1', port: 80 });
  });

  it('names every variable that is wrong', () => {
    const wrong = { MILLRACE_HTTP_ADDR: 'nowhere', MILLRACE_MAX_UPLOAD_BYTES: 'lots' };
    expect(() => readConfig(wrong)).toThrow(/MILLRACE_HTTP_ADDR[^]*MILLRACE_MAX_UPLOAD_BYTES/);
  });

  it('refuses a variable it does not know, so that a typo is not silent', () => {
    expect(() => readConfig({ MILLRACE_HTP_ADDR: '127.0.0.1:1' })).toThrow(/MILLRACE_HTP_ADDR/);
  });

  it('says that the distributed parts are not there yet', () => {
    expect(() => readConfig({ KAFKA_BROKERS: 'localhost:9092' })).toThrow(/Kafka is not supported/);
  });
});
