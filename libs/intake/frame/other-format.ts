import { open } from 'node:fs/promises';
import { certain, MillraceError } from '@app/platform';

/** The endings of the routes for uploads. */
type FormatRoute = '_json' | '_csv' | '_parquet' | '_arrow' | '_delta_lake';

interface KnownFormat {
  readonly is: (head: Buffer) => boolean;
  readonly name: string;
  /** The routes that take the format as it is. */
  readonly routes: readonly FormatRoute[];
  /** The advice at the end of the message; undefined: the message names the format's route. */
  readonly otherwise?: string;
  /** True if the format's mark consists of letters that may be the name of a column in CSV. */
  readonly isOfLetters?: true;
  /** Tells whether the bytes only show a compression or an encoding, and not the content. */
  readonly isPacked?: true;
}

const begins = (mark: string, at = 0) => {
  const bytes = Buffer.from(mark, 'latin1');
  return (head: Buffer): boolean => head.subarray(at, at + bytes.length).equals(bytes);
};
const isZip = begins('PK\x03\x04');
const isTar = begins('ustar', 257);
const isGzip = begins('\x1f\x8b');
const ZIP_NAME_AT = 30;
/** Names that the first file within a workbook may have. */
const SHEETS =
  /^(?:\[Content_Types\]\.xml|_rels\/|docProps\/|xl\/|mimetypeapplication\/vnd\.oasis)/;
const isSheets = (head: Buffer): boolean =>
  isZip(head) && SHEETS.test(head.toString('latin1', ZIP_NAME_AT));

const AS_CSV = 'save its sheet as CSV, and send that to _csv';
const AS_PARQUET = 'write it as Parquet, and send that to _parquet';
const UNPACK = 'unpack it first';
const UTF_8 = 'write it in UTF-8';
const SAY = 'say so by the header Content-Encoding:';
const EDGE = 'millrace-edge reads it as it is';
/** Formats by their first bytes, the more exact ones first. */
const KNOWN: readonly KnownFormat[] = [
  { is: begins('PAR1'), name: 'a Parquet file', routes: ['_parquet'], isOfLetters: true },
  {
    is: begins('ARROW1'),
    name: 'a file of Arrow (Feather)',
    routes: ['_arrow'],
    isOfLetters: true,
  },
  { is: begins('\xff\xff\xff\xff'), name: 'a stream of Arrow', routes: ['_arrow'] },
  // The reader of Arrow has a message of its own for it.
  { is: begins('FEA1'), name: 'a file of Feather version 1', routes: ['_arrow'], otherwise: 'write it as version 2, and send that to _arrow' }, // prettier-ignore
  { is: isSheets, name: 'a workbook (Excel or OpenDocument)', routes: [], otherwise: `${AS_CSV}; ${EDGE}` }, // prettier-ignore
  { is: begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'), name: 'an old workbook (.xls)', routes: [], otherwise: `${AS_CSV}; ${EDGE}` }, // prettier-ignore
  { is: begins('Obj\x01'), name: 'an Avro file', routes: [], otherwise: AS_PARQUET },
  { is: begins('ORC'), name: 'an ORC file', routes: [], otherwise: AS_PARQUET, isOfLetters: true },
  { is: begins('SQLite format 3\0'), name: 'a database of SQLite', routes: [], otherwise: `export its tables as CSV, and send them to _csv; ${EDGE}` }, // prettier-ignore
  { is: begins('DUCK', 8), name: 'a database of DuckDB', routes: [], otherwise: 'write its tables as Parquet (COPY … TO), and send them to _parquet', isOfLetters: true }, // prettier-ignore
  { is: begins('\x89HDF\r\n\x1a\n'), name: 'an HDF5 file', routes: [], otherwise: AS_PARQUET },
  { is: isZip, name: 'a zip archive', routes: ['_delta_lake'], otherwise: `${UNPACK}, or send the folder of a Delta table to _delta_lake` }, // prettier-ignore
  { is: isTar, name: 'a tar archive', routes: ['_delta_lake'], otherwise: `${UNPACK}, or send the folder of a Delta table to _delta_lake` }, // prettier-ignore
  { is: isGzip, name: 'compressed by gzip', routes: ['_delta_lake'], otherwise: `${SAY} gzip; where it says so, it is compressed twice: unpack it once`, isPacked: true }, // prettier-ignore
  { is: begins('\x28\xb5\x2f\xfd'), name: 'compressed by zstd', routes: [], otherwise: `${SAY} zstd`, isPacked: true }, // prettier-ignore
  { is: begins('\xfd7zXZ\0'), name: 'compressed by xz', routes: [], otherwise: UNPACK, isPacked: true }, // prettier-ignore
  { is: begins('BZh'), name: 'compressed by bzip2', routes: [], otherwise: UNPACK, isPacked: true, isOfLetters: true }, // prettier-ignore
  { is: begins('\xff\xfe'), name: 'text in UTF-16', routes: [], otherwise: UTF_8, isPacked: true },
  { is: begins('\xfe\xff'), name: 'text in UTF-16', routes: [], otherwise: UTF_8, isPacked: true },
];
const HEAD_BYTES = 512;

/** A binary file may begin with letters, but has other bytes soon after them. */
const BEGIN_BYTES = 32;
/**
 * Archives that may contain a Delta table. The first name within a tar may begin like another
 * format.
 */
const isArchive = (head: Buffer): boolean =>
  isTar(head) || isGzip(head) || (isZip(head) && !isSheets(head));

/** Bytes that never occur in a text of CSV or JSON. A column of CSV may well be called `ORCID`. */
function isBinary(head: Buffer): boolean {
  // A callback for each byte would take six times as long.
  for (const byte of head) if (byte < 0x20 && (byte < 0x09 || byte > 0x0d)) return true;
  return false;
}

/**
 * Refuses a body whose first bytes show a format that this route does not take. Other bodies are
 * judged as the route's own format.
 * @throws {MillraceError} MALFORMED_BODY
 */
export function refuseOther(body: Buffer, route: FormatRoute): void {
  const head = body.subarray(0, HEAD_BYTES);
  if (!isBinary(head) || (route === '_delta_lake' && isArchive(head))) return;
  const known = KNOWN.find(({ is }) => is(head));
  if (!known || known.routes.includes(route)) return;
  if (known.isOfLetters && !isBinary(head.subarray(0, BEGIN_BYTES))) return;
  const what =
    known.otherwise ?? `send it to ${certain(known.routes[0], `route for ${known.name}`)}`;
  const refused = known.isPacked ? '' : `, which ${route} does not take`;
  throw new MillraceError('MALFORMED_BODY', `the body is ${known.name}${refused}; ${what}`);
}

const LOOKS_LIKE_JSON = /^\s*[[{]/;

/**
 * Does the same for a file on a route that takes no text.
 * @throws {MillraceError} MALFORMED_BODY
 */
export async function refuseOtherFile(file: string, route: FormatRoute): Promise<void> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await handle.read(bytes, 0, HEAD_BYTES, 0);
    const head = bytes.subarray(0, bytesRead);
    refuseOther(head, route);
    if (isBinary(head) || head.length === 0 || route === '_delta_lake') return;
    const own = LOOKS_LIKE_JSON.test(head.toString('latin1')) ? 'JSON to _json' : 'CSV to _csv';
    throw new MillraceError(
      'MALFORMED_BODY',
      `the body is text, which ${route} does not take; send ${own}`,
    );
  } finally {
    await handle.close();
  }
}
