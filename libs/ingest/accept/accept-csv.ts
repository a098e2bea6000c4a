import type { LocalEngine } from '@app/warehouse';
import { acceptRecords, surveyRecords, type SchemaKeeper } from './accept-records.js';
import {
  keptFrom,
  type AcceptedChunk,
  type AcceptOptions,
  type Chunk,
  type ColumnarFile,
  type SpooledChunk,
  type StreamSchema,
} from './chunk.js';
import { csvToColumns, firstTime } from './csv-columns.js';
import { csvToRecords, type CsvShape } from './csv-records.js';
import type { Judge } from './fair-judge.js';
import { isOutOfSpace } from './out-of-space.js';
import type { TimeSource } from './timestamp.sql.js';

/** Lines looked at to guess the schema of a stream that is new; whatever the guess misses is found later, exactly. */
const FIRST_LOOK_LINES = 20_000;

/** Turns chunks of one upload's CSV records into batches, as {@link acceptRecords} does with JSON. */
export class CsvAcceptance {
  /** Records of chunks that left a doubt, as JSON: a field that was new is what it was then. */
  private readonly records = new Map<string, Promise<Chunk>>();
  /** How the first record that has a time writes it. */
  private time: TimeSource | undefined;

  constructor(
    private readonly shape: CsvShape,
    private readonly keeper: SchemaKeeper,
  ) {}

  /**
   * The usual way is one pass of the engine over the file. What it does not take becomes JSON
   * records, and these are judged.
   * @throws {MillraceError} MALFORMED_BODY
   */
  async accept(
    engine: LocalEngine,
    judge: Judge,
    chunk: SpooledChunk,
    options: AcceptOptions,
  ): Promise<AcceptedChunk> {
    if (!this.records.has(chunk.file)) {
      const schema = this.keeper.current() ?? (await this.firstLook(engine, judge, chunk));
      const accepted = schema && (await this.inOnePass(engine, schema, chunk, options));
      if (accepted) return { schema, accepted, rejected: undefined };
    }
    const known = this.keeper.current()?.columns ?? [];
    const records = this.records.get(chunk.file) ?? csvToRecords(engine, chunk, this.shape, known);
    this.records.set(chunk.file, records);
    return acceptRecords(judge, this.keeper, await records, options);
  }

  /** Undefined when any field leaves a doubt. */
  private async inOnePass(
    engine: LocalEngine,
    schema: StreamSchema,
    chunk: SpooledChunk,
    options: AcceptOptions,
  ): Promise<ColumnarFile | undefined> {
    const { shape } = this;
    try {
      this.time ??= await firstTime(engine, chunk.file, shape);
      const { time = 'none' } = this;
      const { columns, exact } = schema;
      return await csvToColumns(engine, chunk, shape, {
        columns,
        exact,
        time,
        acceptedAt: options.acceptedAt,
        keptFrom: keptFrom(schema, options),
      });
    } catch (error) {
      if (isOutOfSpace(error)) throw error;
      return undefined;
    }
  }

  /** Makes a stream that is new, by kinds that all records have and by types of the first ones. */
  private async firstLook(
    engine: LocalEngine,
    judge: Judge,
    chunk: Chunk,
  ): Promise<StreamSchema | undefined> {
    const head = await csvToRecords(engine, chunk, this.shape, [], FIRST_LOOK_LINES);
    const survey = await surveyRecords(judge, head.file);
    return survey.size > 0 ? (await this.keeper.evolve(survey)).schema : undefined;
  }
}
