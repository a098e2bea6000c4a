import { MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';
import { ALLOWED_SETTINGS } from '../guard/allowed-settings.js';
import type { Values } from '../guard/bind-values.js';
import { readFormat, type NamedFormat } from './statements/statement-form.js';

export interface RequestParameters {
  /** The text of `query`; the body continues it. */
  readonly statement: string;
  readonly values: Values;
  readonly database: string | undefined;
  readonly format: NamedFormat | undefined;
  /** The settings as they stand in a SETTINGS clause. */
  readonly settings: readonly string[];
  /** True if the answer is sent in ClickHouse's own compressed blocks. */
  readonly isCompressed: boolean;
  /**
   * True if the answer begins only when it is complete, so that its rows can be counted before it.
   */
  readonly isAwaited: boolean;
  /** True if the answer is compressed as `Accept-Encoding` says. */
  readonly isEncoded: boolean;
  /** The version that determines how blocks of Native describe themselves. */
  readonly protocolVersion: string | undefined;
}

const PARAM = 'param_';
/**
 * Settings that change no row of an answer. They say how the answer is sent, name the query or its
 * session, or bound what is bounded here already.
 */
export const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'query_id',
  'session_id',
  'session_timeout',
  'session_check',
  'buffer_size',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_zlib_compression_level',
  'http_native_compression_disable_checksumming_on_decompress',
  'cancel_http_readonly_queries_on_client_close',
  'cancel_query_on_disconnect',
  'quota_key',
  'readonly',
  'max_execution_time',
  'max_block_size',
  'log_comment',
  'async_insert',
  'wait_for_async_insert',
  'input_format_import_nested_json',
  // These settings are for statements that change tables, which are refused here; dbt sends them
  // with each statement.
  'alter_sync',
  'insert_distributed_sync',
  'lightweight_deletes_sync',
  'mutations_sync',
]);

/** @throws {MillraceError} INVALID_PARAMETER */
export function readRequestParameters(
  parameters: Readonly<Record<string, unknown>>,
): RequestParameters {
  const values: Record<string, string> = {};
  const settings: string[] = [];
  const own = new Map<string, string>();
  for (const [name, value] of Object.entries(parameters)) {
    if (typeof value !== 'string')
      throw new MillraceError('INVALID_PARAMETER', `parameter ${name} stands there twice`);
    if (name.startsWith(PARAM)) values[name.slice(PARAM.length)] = value;
    else if (OWN.has(name)) own.set(name, value);
    else if (ALLOWED_SETTINGS.includes(name)) settings.push(`${name} = ${quoteText(value)}`);
    else if (!WITHOUT_EFFECT.has(name)) throw unknown(name);
  }
  const format = own.get('default_format');
  const blocks = own.get('network_compression_method') ?? BLOCKS;
  if (blocks.toUpperCase() !== BLOCKS)
    throw new MillraceError(
      'INVALID_PARAMETER',
      `blocks are compressed by ${BLOCKS}: leave network_compression_method out, or use enable_http_compression=1 and Accept-Encoding`,
    );
  if (own.get('decompress') === '1')
    throw new MillraceError(
      'INVALID_PARAMETER',
      'decompress=1 is not read here: send the body as it is, or with Content-Encoding: gzip, deflate or br',
    );
  return {
    statement: own.get('query') ?? '',
    values,
    database: own.get('database'),
    format: format === undefined ? undefined : readFormat(format),
    settings,
    isCompressed: own.get('compress') === '1',
    isAwaited: own.get('compress') === '1' || own.get('wait_end_of_query') === '1',
    isEncoded: own.get('enable_http_compression') === '1',
    protocolVersion: version(own.get('client_protocol_version')),
  };
}

/** The one method of `compress=1`. */
const BLOCKS = 'LZ4';
const OWN = new Set([
  'query',
  'database',
  'default_format',
  'compress',
  'decompress',
  'enable_http_compression',
  'client_protocol_version',
  'network_compression_method',
  'wait_end_of_query',
]);

function version(text: string | undefined): string | undefined {
  if (text === undefined || /^\d{1,6}$/.test(text)) return text;
  throw new MillraceError('INVALID_PARAMETER', 'client_protocol_version is a number');
}

function unknown(name: string): MillraceError {
  if (name === 'user' || name === 'password')
    return new MillraceError(
      'INVALID_PARAMETER',
      'an address is kept in logs and histories: send user and password as X-ClickHouse-User and X-ClickHouse-Key, or by HTTP Basic',
    );
  if (/_(?:format|structure|types)$/.test(name) && !/^(?:input|output)_/.test(name))
    return new MillraceError(
      'INVALID_PARAMETER',
      `${JSON.stringify(name.slice(0, 80))} describes a table that comes beside the statement, and none is taken: upload its rows, or send values as param_<name>`,
    );
  return new MillraceError(
    'INVALID_PARAMETER',
    `setting ${JSON.stringify(name.slice(0, 80))} is not allowed; these are: ${ALLOWED_SETTINGS.join(', ')}`,
  );
}
