import type { LocalEngine } from '@app/warehouse';
import { acceptRecords, FIRST_LOOK_LINES, type SchemaKeeper } from './accept-records.js';
import type { AcceptedChunk, AcceptOptions, Chunk, StreamSchema } from './chunk.js';
import { csvToColumns } from './csv-columns.js';
import { csvToRecords, type CsvShape } from './csv-records.js';
import { surveyRecords } from './survey-records.js';

/** Turns chunks of one upload's CSV records into columnar batches; as {@link acceptRecords} does with JSON. */
export class CsvAcceptance {
  /** Records of chunks that left a doubt, as JSON: a field that was new is what it was then. */
  private readonly records = new Map<string, Promise<Chunk>>();

  constructor(
    private readonly shape: CsvShape,
    private readonly keeper: SchemaKeeper,
  ) {}

  /**
   * The usual way is one pass of the engine over the file. What it does not take becomes JSON
   * records, and these are judged.
   * @throws {MillraceError} MALFORMED_BODY
   */
  async accept(engine: LocalEngine, chunk: Chunk, options: AcceptOptions): Promise<AcceptedChunk> {
    if (!this.records.has(chunk.file)) {
      const schema = this.keeper.current() ?? (await this.firstLook(engine, chunk));
      const accepted = schema && (await csvToColumns(engine, schema, chunk, this.shape, options));
      if (accepted) return { schema, accepted, rejected: undefined };
    }
    const known = this.keeper.current()?.columns ?? [];
    const records = this.records.get(chunk.file) ?? csvToRecords(engine, chunk, this.shape, known);
    this.records.set(chunk.file, records);
    return acceptRecords(engine, this.keeper, await records, options);
  }

  /** Makes a stream that is new, by kinds that all records have and by types of the first ones. */
  private async firstLook(engine: LocalEngine, chunk: Chunk): Promise<StreamSchema | undefined> {
    const head = await csvToRecords(engine, chunk, this.shape, [], FIRST_LOOK_LINES);
    const survey = await surveyRecords(engine, head.file);
    return survey.size > 0 ? (await this.keeper.evolve(survey)).schema : undefined;
  }
}
