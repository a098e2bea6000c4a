import { Transform, type Readable } from 'node:stream';
import { WholeResult, type AnswerFormat, type Column } from '@app/warehouse';
import { hasOwnTypes } from './answer-field.js';
import { ArrowWalk } from './arrow-walk.js';
import { HeldChunks, type AnswerWalk } from './held-chunks.js';
import { ParquetWalk } from './parquet-walk.js';

/**
 * The answer with the types that its columns have. The engine gives each time a zone (the
 * session's, if it has none), writes no time of day to Parquet, and has one type for text and
 * bytes; no setting changes that for single columns. So bytes of the schema are written over, in
 * place. The rows' bytes are the same either way.
 * @param columns of the statement as they were before they were fitted; of bytes only where they
 *   were made such.
 * @param inZone the statement shows times without a zone in one that it names.
 */
export function withOwnTypes(
  rows: Readable,
  format: AnswerFormat,
  columns: readonly Column[] | undefined,
  inZone: boolean,
): Readable {
  const types = (columns ?? []).map(({ type }) => type);
  const walk = types.some(hasOwnTypes) ? walkOf(format, types, inZone) : undefined;
  if (!walk) return rows;
  const held = new HeldChunks();
  if (rows instanceof WholeResult) {
    held.add(rows.bytes);
    walk.walk(held, true);
    const [first, ...more] = held.release(held.end);
    return first === rows.bytes && more.length === 0
      ? rows
      : new WholeResult(Buffer.concat([first ?? Buffer.alloc(0), ...more]));
  }
  const walked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      held.add(chunk);
      passOn(this, () => walk.walk(held, false), done);
    },
    flush(done) {
      passOn(this, () => walk.walk(held, true), done);
    },
  });
  const passOn = (to: Transform, until: () => number, done: (error?: Error) => void): void => {
    try {
      for (const chunk of held.release(until())) to.push(chunk);
      done();
    } catch (error) {
      done(error as Error);
    }
  };
  rows.on('error', (error) => walked.destroy(error));
  walked.once('close', () => rows.destroy());
  return rows.pipe(walked);
}

function walkOf(
  format: AnswerFormat,
  types: readonly string[],
  inZone: boolean,
): AnswerWalk | undefined {
  if (format === 'parquet') return new ParquetWalk(types, inZone);
  if (format !== 'arrow-stream' && format !== 'arrow-file') return undefined;
  return new ArrowWalk(types, format === 'arrow-file');
}
