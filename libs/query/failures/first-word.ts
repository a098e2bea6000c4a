import { didYouMean, MillraceError } from '@app/platform';

/** The beginning of a body that `curl -F query=…` or `--data-urlencode query=…` has made. */
const FORM = /^\s*(?:--[^\r\n]*\r?\ncontent-disposition:|(?:query|sql)=)/i;
const BEGINNINGS = ['SELECT', 'WITH', 'EXPLAIN'];

/** The engine takes these for names of columns, or for another statement with an error in it. */
const WRITES = /^(?:DELETE|UPDATE|MERGE|REPLACE|UPSERT|COPY|VACUUM|CALL|BEGIN|COMMIT|ROLLBACK)$/i;

/**
 * Says that a text is no statement because of its first word, with the word that was probably
 * meant. The engine would take a single word for the name of a column.
 */
export function firstWordProblem(text: string): MillraceError | undefined {
  if (/^\s*\{/.test(text))
    return new MillraceError(
      'INVALID_SQL',
      'the body is the statement itself, as text: send SELECT …, without JSON around it',
    );
  if (FORM.test(text))
    return new MillraceError(
      'INVALID_SQL',
      'the body is the statement itself, as text, and no form: send SELECT … alone, or by GET as ?query=',
    );
  const word = /^\s*([A-Za-z]+)/.exec(text)?.[1];
  if (word === undefined || BEGINNINGS.includes(word.toUpperCase())) return undefined;
  if (WRITES.test(word))
    return new MillraceError(
      'INVALID_SQL',
      `${word.toUpperCase()} is not taken: SQL only reads here, and rows come by uploads`,
    );
  const near = didYouMean(word, BEGINNINGS);
  if (near === '') return undefined;
  return new MillraceError(
    'INVALID_SQL',
    `a statement begins with ${BEGINNINGS.join(', ')}, not with ${JSON.stringify(word)}${near}`,
  );
}
