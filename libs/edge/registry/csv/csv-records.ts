import { StringDecoder } from 'node:string_decoder';

/** A value of CSV as it is written, without its quotes. */
export interface CsvField {
  readonly text: string;
  readonly isQuoted: boolean;
  /** There are blanks around it: before its quotes, or around it where it has none. */
  readonly isPadded: boolean;
  /** Other characters than blanks stand between its closing quote and the next delimiter. */
  readonly isTorn: boolean;
}

/** A record of CSV. A blank line is one of a single empty field. */
interface CsvRecord {
  /** The number of the line that it begins in, from 1. */
  readonly line: number;
  readonly fields: readonly CsvField[];
}

type State = 'blank' | 'plain' | 'quoted' | 'quote';

/**
 * Reads the records of CSV, with quotes behind blanks taken for quotes. It is slow, and meant for
 * files in which something is wrong.
 */
export async function* csvRecords(
  pieces: AsyncIterable<Buffer> | Iterable<Buffer>,
  delimiter: string,
): AsyncGenerator<CsvRecord> {
  const decoder = new StringDecoder('utf8');
  let state: State = 'blank';
  let text = '';
  let isQuoted = false;
  let isBehindBlanks = false;
  let isTorn = false;
  let fields: CsvField[] = [];
  let line = 1;
  let begun = 1;
  const endField = (): void => {
    const bare = isQuoted ? text : text.replace(/\r+$/, '');
    const isPadded = isQuoted ? isBehindBlanks : bare !== bare.replace(/^[ \t]+|[ \t]+$/g, '');
    fields.push({ text: bare, isQuoted, isPadded, isTorn });
    [state, text, isQuoted, isBehindBlanks, isTorn] = ['blank', '', false, false, false];
  };
  for await (const piece of pieces) {
    for (const character of decoder.write(piece)) {
      if (character === '\n') line += 1;
      if (state === 'quoted') {
        if (character === '"') state = 'quote';
        else text += character;
      } else if (state === 'quote' && character === '"') {
        text += character;
        state = 'quoted';
      } else if (character === delimiter) endField();
      else if (character === '\n') {
        endField();
        yield { line: begun, fields };
        [fields, begun] = [[], line];
      } else if (state === 'blank' && character === '"') {
        isBehindBlanks = text !== '' && text !== '\ufeff';
        [state, text, isQuoted] = ['quoted', '', true];
      } else {
        const isBlank = character === ' ' || character === '\t' || character === '\r';
        if (!isBlank || !isQuoted) text += character;
        isTorn ||= !isBlank && isQuoted;
        if (!isBlank && character !== '\ufeff') state = 'plain';
      }
    }
  }
  if (text === '' && fields.length === 0 && !isQuoted) return;
  endField();
  yield { line: begun, fields };
}
