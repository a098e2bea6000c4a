import type { Readable } from 'node:stream';
import type { Workshop } from '../registry/prepare/open-source.js';

/**
 * Larger results are read piece by piece, so that the process can answer other requests meanwhile.
 */
const WHOLE_BYTES = 1024 * 1024;
/** The bytes that an entry takes besides its two texts. */
const ENTRY_BYTES = 128;
/** If one character needs two bytes, each character of its text takes two. */
const BYTES_OF_A_BYTE = 2;

/** @returns how many bytes the keys and values of a table take in the process, at most */
export async function bytesInMemory(
  table: string,
  { reader }: Pick<Workshop['engine'], 'reader'>,
): Promise<number> {
  const sql = `SELECT sum(length(k) + length(v)), count() FROM ${table}`;
  const answer = await reader.text({ sql, format: 'text' });
  const [texts = 0, entries = 0] = answer.trim().split('\t').map(Number);
  return texts * BYTES_OF_A_BYTE + entries * ENTRY_BYTES;
}

interface Entry {
  readonly k: string;
  readonly v: string;
}

/** Reads keys `k` and values `v` of a table of the engine. @param bytes how many they take */
export async function readValues(
  table: string,
  bytes: number,
  { reader }: Pick<Workshop['engine'], 'reader'>,
): Promise<ReadonlyMap<string, string>> {
  const sql = `SELECT k, v FROM ${table}`;
  if (bytes <= WHOLE_BYTES) {
    const entries = JSON.parse(await reader.text({ sql, format: 'json' })) as readonly Entry[];
    return new Map(entries.map(({ k, v }) => [k, v]));
  }
  const values = new Map<string, string>();
  for await (const line of linesOf(await reader.stream({ sql, format: 'ndjson' }))) {
    const { k, v } = JSON.parse(line) as Entry;
    values.set(k, v);
  }
  return values;
}

/** Node.js's readline also ends lines at U+2028, which JSON may contain. */
async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let begun = '';
  for await (const text of stream.setEncoding('utf8') as AsyncIterable<string>) {
    const [rest = '', ...lines] = text.split('\n');
    begun += rest;
    for (const line of lines) {
      yield begun;
      begun = line;
    }
  }
  if (begun !== '') yield begun;
}
