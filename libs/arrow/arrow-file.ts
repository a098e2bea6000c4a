import { open } from 'node:fs/promises';
import { BrokenFileError } from '@app/parquet';
import { MillraceError } from '@app/platform';
import { ArrowBytes, HEADER, messageAt, type ArrowMessage } from './arrow-bytes.js';
import { refuseLostDigits } from './arrow-decimals.js';
import { hasNullLists, refuseHidden } from './arrow-lists.js';
import { readArrowSchema, type ArrowSchema } from './arrow-schema.js';
import type { Field } from './field.js';
import { FlatTable } from './flat-buffer.js';
import { typelessFile, type TypelessFile } from './typeless-file.js';

/** The description that a file of Arrow's IPC format has of itself. */
export interface ArrowFile {
  readonly format: 'Arrow' | 'ArrowStream';
  readonly fields: readonly Field[];
  /** The same fields as the engine reads them. */
  readonly held: readonly Field[];
  readonly rows: number;
  /**
   * Checks what can be said only after the engine has read the file, so that its buffers unpack to
   * what they claim.
   * @throws {MillraceError} MALFORMED_BODY
   */
  checkRead(): Promise<void>;
}

/** A file that was checked. */
interface CheckedFile {
  readonly fields: readonly Field[];
  /** Its columns without a type; undefined: it has none. */
  readonly typeless: TypelessFile | undefined;
}

interface Contents extends Omit<ArrowFile, 'checkRead'> {
  readonly schema: ArrowSchema;
  /** The places of the batches, and of the dictionaries. */
  readonly batches: readonly number[];
  /** The places of the batches that have lists which are null. */
  readonly withNullLists: readonly number[];
  /** The bytes of its schemas to write over, and where each schema begins. */
  readonly patched: readonly PatchedSchema[];
}

interface PatchedSchema {
  readonly at: number;
  readonly patches: ArrowSchema['patches'];
}

/** A file begins with this and two zeros, and ends with it; a stream begins with its first message. */
const MARK = 'ARROW1';
const FEATHER_1 = 'FEA1';
const HEAD_BYTES = 8;
/** The footer's length and the mark. */
const TAIL_BYTES = 4 + MARK.length;
const BATCHES_MAX = 100_000;
/** The footer's slots. */
const [DICTIONARIES, BATCHES] = [2, 3];
/** A batch's place: where, length of the message with 4 bytes unused, length of its buffers. */
const BLOCK_BYTES = 24;

/**
 * Reads what a file or stream of Arrow says of itself, and writes over what of its schema the engine
 * would read inexactly: it is ours, and only a length or a tag changes.
 * @param name what to call it in a message.
 * @throws {MillraceError} MALFORMED_BODY when it is neither, or has columns that nothing here can hold.
 */
export async function openArrow(file: string, name: string): Promise<ArrowFile> {
  const { format, fields, held, rows, ...found } = await reading(file, name, async (source) => {
    const contents = await readContents(source);
    for (const { at, patches } of contents.patched) await source.write(at, patches);
    return contents;
  });
  const checkRead = (): Promise<void> =>
    reading(file, name, (source) => refuseHiddenIn(source, found));
  return { format, fields, held, rows, checkRead };
}

/**
 * Checks a file that we must not change. It refuses what {@link openArrow} refuses, and what the
 * engine would read inexactly because the schema stays as it is. It reads only values that may be
 * affected, a batch at a time.
 * @param name what to call it in a message.
 * @throws {MillraceError} MALFORMED_BODY
 */
export async function checkArrow(file: string, name: string): Promise<CheckedFile> {
  const check = async (source: ArrowBytes): Promise<CheckedFile> => {
    const found = await readContents(source);
    await refuseHiddenIn(source, found);
    const { decimals } = found.schema;
    if (decimals.length > 0)
      for (const at of found.batches) {
        const batch = await messageAt(source, at);
        if (batch) await refuseLostDigits(source, batch, decimals);
      }
    const [footer] = found.format === 'Arrow' ? found.patched : [];
    const typeless = await typelessFile(source, found.schema, footer?.at);
    return { fields: found.fields, typeless };
  };
  return reading(file, name, check, 'r');
}

async function refuseHiddenIn(
  source: ArrowBytes,
  { schema, withNullLists }: Pick<Contents, 'schema' | 'withNullLists'>,
): Promise<void> {
  for (const at of withNullLists) {
    const batch = await messageAt(source, at);
    if (batch) await refuseHidden(source, batch, schema.lists);
  }
}

async function reading<T>(
  file: string,
  name: string,
  read: (source: ArrowBytes) => Promise<T>,
  flags: 'r' | 'r+' = 'r+',
): Promise<T> {
  const handle = await open(file, flags);
  try {
    const { size } = await handle.stat();
    return await read(new ArrowBytes(handle, size));
  } catch (error) {
    if (isSystemError(error)) throw error;
    throw new MillraceError(
      'MALFORMED_BODY',
      `${name} is no readable file or stream of Arrow: ${why(error as NodeJS.ErrnoException)}`,
      { cause: error },
    );
  } finally {
    await handle.close();
  }
}

/** A reference that leads out of the bytes fails by the words of Node.js, which help nobody. */
const why = ({ code, message }: NodeJS.ErrnoException): string =>
  code?.endsWith('OUT_OF_RANGE') || code?.endsWith('OUT_OF_BOUNDS')
    ? 'something in it leads out of it'
    : message;

async function readContents(source: ArrowBytes): Promise<Contents> {
  const head = source.size < HEAD_BYTES ? '' : await source.text(0, HEAD_BYTES);
  if (head.startsWith(FEATHER_1))
    throw new BrokenFileError('it is Feather of version 1; write version 2');
  return head.startsWith(MARK) ? readFile(source) : readStream(source);
}

/** Tells whether the disk has failed, rather than the bytes being wrong. */
const isSystemError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && error.syscall !== undefined;

async function readStream(source: ArrowBytes): Promise<Contents> {
  const first = await messageAt(source, 0);
  if (first?.kind !== HEADER.schema) throw new BrokenFileError('it does not begin with a schema');
  const schema = readArrowSchema(first.header);
  const batches = new Batches(schema);
  let at = first.end;
  for (let next = await messageAt(source, at); next; next = await messageAt(source, at)) {
    batches.add(next, at);
    at = next.end;
  }
  return batches.contents('ArrowStream', [{ at: first.at, patches: schema.patches }]);
}

async function readFile(source: ArrowBytes): Promise<Contents> {
  const { size } = source;
  const tail = await source.bytes(size - TAIL_BYTES, TAIL_BYTES);
  if (tail.toString('latin1', 4) !== MARK)
    throw new BrokenFileError(`it does not end with ${MARK}; it was cut off`);
  const length = tail.readInt32LE(0);
  const from = size - TAIL_BYTES - length;
  const footer = FlatTable.root(await source.bytes(from, length));
  const table = footer.table(1);
  if (!table) throw new BrokenFileError('its footer has no schema');
  const schema = readArrowSchema(table);
  // A reader may use either length. JavaScript's writer leaves the first one out, and polars writes
  // it without its length. The engine uses the footer.
  const first = await messageAt(source, HEAD_BYTES).catch((error: unknown) => {
    if (isSystemError(error)) throw error;
    return undefined;
  });
  const again = first?.kind === HEADER.schema ? readArrowSchema(first.header) : undefined;
  if (again && JSON.stringify(again.fields) !== JSON.stringify(schema.fields))
    throw new BrokenFileError('its schema is another one at its end than at its beginning');
  const batches = new Batches(schema);
  for (const at of blocks(footer, DICTIONARIES)) batches.places.push(at);
  for (const at of blocks(footer, BATCHES)) {
    const batch = await messageAt(source, at);
    if (batch?.kind !== HEADER.batch)
      throw new BrokenFileError('its footer leads to what is no batch');
    batches.add(batch, at);
  }
  const patched = [{ at: from, patches: schema.patches }];
  if (first && again) patched.push({ at: first.at, patches: again.patches });
  return batches.contents('Arrow', patched);
}

/** Tells where the footer says that batches are, or dictionaries. */
function* blocks(footer: FlatTable, slot: number): Generator<number> {
  const { length } = footer.vector(slot, BLOCK_BYTES) ?? { length: 0 };
  if (length > BATCHES_MAX) throw tooMany();
  for (let index = 0; index < length; index += 1)
    yield Number(footer.int64At(slot, index, BLOCK_BYTES, 0));
}

class Batches {
  readonly places: number[] = [];
  private readonly withNullLists: number[] = [];
  private rows = 0;
  private count = 0;

  constructor(private readonly schema: ArrowSchema) {}

  add({ kind, header }: ArrowMessage, at: number): void {
    this.count += 1;
    if (this.count > BATCHES_MAX) throw tooMany();
    this.places.push(at);
    if (kind === HEADER.dictionary) return;
    if (kind !== HEADER.batch)
      throw new BrokenFileError('a message in it is neither a batch nor a dictionary');
    const rows = Number(header.int64(0));
    this.rows += rows;
    if (rows < 0 || !Number.isSafeInteger(this.rows))
      throw new BrokenFileError(`it would have ${rows} rows`);
    if (rows > 0 && this.schema.fields.length === 0)
      throw new BrokenFileError('it has rows and no columns');
    if (hasNullLists(header, this.schema.lists)) this.withNullLists.push(at);
  }

  contents(format: ArrowFile['format'], patched: readonly PatchedSchema[]): Contents {
    const { schema, rows, places: batches, withNullLists } = this;
    const { fields, held } = schema;
    return { format, schema, fields, held, rows, batches, withNullLists, patched };
  }
}

const tooMany = (): Error =>
  new Error(`it has more than ${BATCHES_MAX} batches; write larger ones`);
