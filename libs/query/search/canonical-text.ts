import { Injectable } from '@nestjs/common';
import { WarehouseReader } from '@app/warehouse';
import { readableText } from '../dialect/author-text.js';
import { marked, unmarked } from '../dialect/kept-pieces.js';
import { firstWordProblem } from '../failures/first-word.js';
import { toQueryFailure } from '../failures/query-failure.js';
import { SEARCH_CODE, searchError } from './search-error.js';

const KEPT = 1000;
const BYTES_MAX = 64 * 1024;
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/** Statements as the engine prints them: on one line, without comments, names quoted one way. */
@Injectable()
export class CanonicalText {
  private readonly known = new Map<string, string>();

  constructor(private readonly reader: WarehouseReader) {}

  /** @throws {MillraceError} INVALID_SEARCH, INVALID_SQL */
  async of(text: string): Promise<string> {
    const known = this.known.get(text);
    if (known !== undefined) return known;
    if (text.trim() === '') throw searchError(SEARCH_CODE.invalidSql, 'the statement is empty');
    const problem = firstWordProblem(text);
    if (problem) throw searchError(SEARCH_CODE.invalidSql, problem.message);
    if (Buffer.byteLength(text) > BYTES_MAX)
      throw searchError(SEARCH_CODE.invalidSql, `a statement may have at most ${BYTES_MAX} bytes`);
    if (CONTROL.test(text))
      throw searchError(SEARCH_CODE.invalidSql, 'the statement holds control characters');
    const canonical = await this.print(text);
    for (const oldest of this.known.keys()) {
      if (this.known.size < KEPT) break;
      this.known.delete(oldest);
    }
    this.known.set(text, canonical);
    return canonical;
  }

  private async print(text: string): Promise<string> {
    try {
      const sql = 'SELECT formatQuerySingleLine({sql:String})';
      const readable = readableText(text);
      const params = { sql: marked(readable) };
      const printed = (await this.reader.text({ sql, format: 'text', params })).trimEnd();
      return params.sql === readable ? printed : unmarked(Buffer.from(printed)).toString();
    } catch (error) {
      throw toQueryFailure(error, text);
    }
  }
}
