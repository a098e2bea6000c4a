import { parseArgs } from 'node:util';
import { usageError } from './exit-code.js';
import { FORMATS, type Format } from './format.js';

export const HELP = `usage: millrace <command> [options]

  upload        uploads files into a stream

and for whoever runs the server:

  serve         runs it; MILLRACE_ROLES says which roles of it
  dead-letter   tells what no table took, and puts it back
  audit:verify  checks that nobody changed the audit trail
  replay        makes a read model again out of the events
  backup        copies all of it, while it goes on
  restore       makes a data directory out of a backup
  change-key    puts another secret key in the place of the one that it has
  seal-events   for the upgrade from 0.2.0 with an event store on a server, once
  reconcile     brings events and tables together that are of different age

  --help        after a command: how it is used
  --version     which Millrace this is`;

export const UPLOAD_HELP = `usage: millrace upload <file|folder…|-> --stream <name> [options]

Uploads files, all files of folders, or standard input (-) into a stream.

  --stream <name>   where the records go; it is made when it is not there
  --org <name>      organization (default: default)
  --url <url>       server (default: http://127.0.0.1:5080)
  --format <name>   ${FORMATS.join(', ')}; without it the file's name says:
                    .json .ndjson .jsonl .csv .tsv, also with .gz;
                    .parquet .arrow .arrows .feather;
                    .tar .tar.gz .tgz .zip or a folder with _delta_log: a Delta table
  --user <email>    or MILLRACE_USER. The password, or the organization's passcode, comes
                    from MILLRACE_PASSWORD or is asked for
  --wait            be done when the records can be queried, not already when they are durable
  --help            this text

NDJSON and CSV go in slices of 16 MiB, four at a time; the rest goes whole. When it breaks off,
the same command goes on, for 23 hours, and the server stores no slice twice.

It ends with
  0    all records are stored
  1    some were rejected: GET /api/<org>/<stream>/_rejected tells why; the rest is stored
  2    wrong arguments, or a file that cannot be read
  3    the server cannot be reached, is busy for too long, or failed; run it again to go on
  4    the server refused: credentials, permission, or what was sent
  130  interrupted; run it again to go on`;

export interface UploadArguments {
  /** Paths, or `-` alone. */
  readonly from: readonly string[];
  readonly url: URL;
  readonly org: string;
  readonly stream: string;
  /** Undefined means: by the file's name. */
  readonly format: Format | undefined;
  readonly user: string | undefined;
  readonly wait: boolean;
}

/** The other commands are programs of their own: bin/millrace.mjs. */
const COMMANDS =
  'upload, serve, dead-letter, audit:verify, replay, backup, restore, change-key, seal-events or reconcile';

/** @returns what is to be shown instead. @throws {CliError} */
export function readArguments(
  argv: readonly string[],
): UploadArguments | 'help' | 'upload help' | 'version' {
  const { values, positionals } = parse(argv);
  const [command, ...from] = positionals;
  if (command === 'upload' && values.help) return 'upload help';
  if (values.help || command === 'help') return 'help';
  if (values.version) return 'version';
  if (command !== 'upload')
    throw usageError(
      command === undefined
        ? `want a command: ${COMMANDS}`
        : `there is no command ${command}; want ${COMMANDS}`,
    );
  if (from.length === 0) throw usageError('want files or folders, or - for standard input');
  if (from.length > 1 && from.includes('-'))
    throw usageError('standard input (-) goes alone, without other files');
  const { stream, org, url, format, user, wait } = values;
  if (stream === undefined || stream === '') throw usageError('want --stream <name>');
  if (user?.includes(':'))
    throw usageError('--user takes the e-mail only; the password goes into MILLRACE_PASSWORD');
  return { from, stream, org, url: urlOf(url), format: formatOf(format), user, wait };
}

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        stream: { type: 'string' },
        org: { type: 'string', default: 'default' },
        url: { type: 'string', default: 'http://127.0.0.1:5080' },
        format: { type: 'string' },
        user: { type: 'string' },
        wait: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    // Node.js goes on about arguments that begin with a dash, which no command has.
    const [problem = ''] = (error as Error).message.split('. To specify');
    throw usageError(`${problem}; --help tells what there is`);
  }
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw usageError(`--url ${text}: want http:// or https://`);
  if (url.username !== '' || url.password !== '')
    throw usageError('--url takes no credentials; use --user and MILLRACE_PASSWORD');
  return url;
}

function formatOf(text: string | undefined): Format | undefined {
  const format = FORMATS.find((each) => each === text);
  if (text !== undefined && !format)
    throw usageError(`--format ${text}: want one of ${FORMATS.join(', ')}`);
  return format;
}
