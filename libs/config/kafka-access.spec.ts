import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '@app/platform';
import { readConfig } from './config.js';

describe('access to Kafka', () => {
  let directory: string;
  const at = (name: string): string => join(directory, name);
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-config-'));
    writeFileSync(at('password'), 'from a file\n');
    writeFileSync(at('empty'), '\n');
    writeFileSync(at('secret.txt'), 'a secret that is no certificate');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const PLAIN = {
    KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
    KAFKA_SASL_MECHANISM: 'PLAIN',
    KAFKA_SASL_USERNAME: 'me',
  };
  const access = (variables: Record<string, string>) =>
    readConfig({ KAFKA_BROKERS: 'k:9092', ...variables }).kafka?.access;

  it('is plain without more, and takes a password from the environment or a file', () => {
    expect(access({})).toEqual({ tls: undefined, sasl: undefined });
    expect(access({ ...PLAIN, KAFKA_SASL_PASSWORD: 'p' })).toEqual({
      tls: { ca: undefined, client: undefined },
      sasl: { mechanism: 'PLAIN', username: 'me', password: 'p' },
    });
    expect(access({ ...PLAIN, KAFKA_SASL_PASSWORD_FILE: at('password') })?.sasl?.password).toBe(
      'from a file',
    );
  });

  it.each<[string, () => Record<string, string>]>([
    ['KAFKA_SECURITY_PROTOCOL', () => ({ KAFKA_SECURITY_PROTOCOL: 'TLS' })],
    ['KAFKA_SASL_MECHANISM', () => ({ ...PLAIN, KAFKA_SASL_MECHANISM: 'GSSAPI' })],
    ['KAFKA_SASL_PASSWORD', () => PLAIN],
    ['KAFKA_SASL_PASSWORD', () => ({ ...PLAIN, KAFKA_SASL_PASSWORD: '' })],
    ['KAFKA_SASL_PASSWORD is for', () => ({ KAFKA_SASL_PASSWORD: 'secret' })],
    ['KAFKA_SSL_CA_LOCATION is for', () => ({ KAFKA_SSL_CA_LOCATION: at('password') })],
    [
      'both there',
      () => ({
        ...PLAIN,
        KAFKA_SASL_PASSWORD: 'secret',
        KAFKA_SASL_PASSWORD_FILE: at('password'),
      }),
    ],
    ['file is empty', () => ({ ...PLAIN, KAFKA_SASL_PASSWORD_FILE: at('empty') })],
    ['ENOENT', () => ({ ...PLAIN, KAFKA_SASL_PASSWORD_FILE: at('missing') })],
    [
      'KAFKA_SSL_CA_LOCATION: want a file in PEM',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CA_LOCATION: at('secret.txt') }),
    ],
    [
      'KAFKA_SSL_KEY_LOCATION: want a file in PEM',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_KEY_LOCATION: at('secret.txt') }),
    ],
  ])('refuses what is wrong: %s', (message, variables) => {
    const read = () => access(variables());
    expect(read).toThrow(OperatorError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(/secret(?!\.txt)/);
  });
});
