import { Transform, type Readable } from 'node:stream';
import { WholeResult, type AnswerFormat, type Column } from '@app/warehouse';
import { hasOwnTimes } from './answer-field.js';
import { ArrowWalk } from './arrow-walk.js';
import { HeldChunks, type AnswerWalk } from './held-chunks.js';
import { ParquetWalk } from './parquet-walk.js';

/**
 * The answer with the types of times that its columns have. The engine gives each time a zone, the
 * session's where it has none, and writes no time of day to Parquet; no setting changes that. So
 * bytes of the schema are written over, in place. The rows' bytes are the same either way.
 * @param columns of the statement as they were before they were fitted.
 * @param inZone the statement shows times without a zone in one that it names.
 */
export function withOwnTimes(
  rows: Readable,
  format: AnswerFormat,
  columns: readonly Column[] | undefined,
  inZone: boolean,
): Readable {
  const types = (columns ?? []).map(({ type }) => type);
  const walk = types.some(hasOwnTimes) ? walkOf(format, types, inZone) : undefined;
  if (!walk) return rows;
  const held = new HeldChunks();
  if (rows instanceof WholeResult) {
    held.add(rows.bytes);
    walk.walk(held, true);
    return rows;
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
