import { PostgresError } from '../protocol/protocol-error.js';
import { SERVER_VERSION } from './server-version.js';

/** The settings that clients get at the beginning, by PostgreSQL's names. */
export const REPORTED: Readonly<Record<string, string>> = {
  server_version: SERVER_VERSION,
  server_encoding: 'UTF8',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  integer_datetimes: 'on',
  standard_conforming_strings: 'on',
  is_superuser: 'off',
  in_hot_standby: 'off',
  default_transaction_read_only: 'on',
};

/** Further settings for SHOW, which never change. */
const FIXED: Readonly<Record<string, string>> = {
  transaction_isolation: 'read committed',
  default_transaction_isolation: 'read committed',
  transaction_read_only: 'on',
  search_path: '"$user", public',
  extra_float_digits: '1',
  bytea_output: 'hex',
  statement_timeout: '0',
  lock_timeout: '0',
  max_identifier_length: '63',
  server_version_num: String(Number(SERVER_VERSION.split('.')[0]) * 10_000 + Number(SERVER_VERSION.split('.')[1])), // prettier-ignore
};

const SETTINGS = new Map(
  Object.entries({ ...REPORTED, ...FIXED }).map(([name, value]) => [name.toLowerCase(), value]),
);
const ENCODINGS = /^(?:utf-?8|unicode|default|sql_ascii|)$/i;

/** Settings of one connection. The answers depend on none, so a change is kept only to be shown. */
export class SessionSettings {
  private applicationName = '';

  /** @returns undefined if it is unknown here. */
  show(name: string): string | undefined {
    return name === 'application_name' ? this.applicationName : SETTINGS.get(name);
  }

  /**
   * @returns the name and value to report to the client
   * @throws {PostgresError} 22023 if the setting cannot have this value
   */
  set(name: string, value: string): readonly [string, string] | undefined {
    if (name === 'client_encoding' && !ENCODINGS.test(value))
      throw new PostgresError('22023', `the only encoding here is UTF8, not ${value.slice(0, 40)}`);
    if (name !== 'application_name') return undefined;
    this.applicationName = value.slice(0, 63);
    return [name, this.applicationName];
  }
}
