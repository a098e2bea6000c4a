import { didYouMean, OperatorError } from '@app/platform';
import { parseArgs, type ParseArgsConfig } from 'node:util';

const OPTIONS = {
  table: { type: 'string', short: 't', multiple: true },
  config: { type: 'string', short: 'c' },
  'addr-http': { type: 'string', short: 'a' },
  'addr-postgres': { type: 'string', short: 'p' },
  'addr-flight-sql': { type: 'string' },
  'response-format': { type: 'string', short: 'f' },
  'reload-interval': { type: 'string', short: 'r' },
  state: { type: 'string' },
  'read-only': { type: 'boolean' },
  'disable-read-only': { type: 'boolean', short: 'd' },
  token: { type: 'string' },
  cors: { type: 'string', multiple: true },
  follow: { type: 'string' },
  org: { type: 'string' },
  'follow-interval': { type: 'string' },
  'follow-cache': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'V' },
} as const satisfies ParseArgsConfig['options'];

export const HELP = `usage: millrace-edge --table "<name>=<uri>[,format=<format>][,<option>=<value>]…" [options]

Serves SQL, GraphQL, REST and key-value reads over files, folders, URLs and databases.

  -t, --table <table>             a table; may be there several times
  -c, --config <file>             ROAPI's configuration, .yaml, .yml or .toml
  -a, --addr-http <host>:<port>   where to listen (default: 127.0.0.1:8080, or HOST and PORT)
      --addr-postgres <host>:<port>  where clients of PostgreSQL ask (psql, drivers); not
                                  without it
      --addr-flight-sql <host>:<port>  where clients of Arrow Flight SQL ask (ADBC, JDBC); not
                                  without it
  -f, --response-format <format>  Json (default), NdJson, Csv, ArrowFile, ArrowStream, Parquet:
                                  for callers that ask for none by Accept
  -r, --reload-interval <s>       read tables again after so many seconds
      --state <file>              keeps tables registered by POST /api/table over a restart
      --read-only                 refuses POST /api/table and POST /api/tables/drop
  -d, --disable-read-only         allows them also where others than this machine can call
                                  without a token, which is refused otherwise
      --token <token>             callers must send "Authorization: Bearer <token>";
                                  or MILLRACE_EDGE_TOKEN, which no list of processes shows
      --cors <origin>             pages from there may call; "*": from anywhere; several times
      --follow <url>              registers the streams of a hosted organization and follows
                                  them, as MILLRACE_USER with MILLRACE_PASSWORD
      --org <name>                that organization (default: default)
      --follow-interval <s>       looks for news after so many seconds (default: 5)
      --follow-cache <folder>     keeps what was read there over a restart
  -h, --help                      this text
  -V, --version                   the program's version

Formats: csv, json, ndjson (jsonl), parquet, arrow, arrows, delta, iceberg, xls, xlsx, xlsb,
ods, sqlite, mysql, postgres. Options of tables: docs/edge.md.`;

export type EdgeArguments = ReturnType<typeof parseEdgeArguments>;

/** @throws {Error} that names the argument */
export function parseEdgeArguments(argv: readonly string[]) {
  refuseUnknown(argv);
  try {
    const { values } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: false });
    return values;
  } catch (error) {
    const { message } = error as Error;
    if (!/unexpected argument/i.test(message)) throw error;
    throw new OperatorError(`${message.split('. ')[0]}; a table is --table <name>=<uri>`, {
      cause: error,
    });
  }
}

/** The library's own message does not say what to do. */
function refuseUnknown(argv: readonly string[]): void {
  const { tokens } = parseArgs({ args: [...argv], options: OPTIONS, strict: false, tokens: true });
  for (const token of tokens)
    if (token.kind === 'option' && !Object.hasOwn(OPTIONS, token.name)) {
      const near = didYouMean(token.name, Object.keys(OPTIONS)).replace('"', '"--');
      throw new OperatorError(
        `unknown option ${token.rawName}${near || '; --help tells which there are'}`,
      );
    }
}
