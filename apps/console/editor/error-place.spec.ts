import { errorPlace, quotedName, quotedPath } from './error-place.js';

describe('the place of an error', () => {
  it('is the word that the message points at', () => {
    const sql = 'SELECT id,\n  stauts\nFROM logs';
    const message = 'there is no column "stauts", at line 2, column 3; did you mean "status"?';
    const place = errorPlace(message, sql);
    expect(place).toEqual({ from: 13, to: 19, suggestion: 'status' });
    expect(sql.slice(place?.from, place?.to)).toBe('stauts');
  });

  it('is a quoted name as a whole, and what is offered is quoted where it must be', () => {
    const sql = 'SELECT `a-b` FROM t';
    const message = 'no column, at line 1, column 8; did you mean "a-c"?';
    expect(errorPlace(message, sql)).toEqual({ from: 7, to: 12, suggestion: '`a-c`' });
    expect(quotedName('a`b\\')).toBe('`a\\`b\\\\`');
    // The name of a stream may have dots; what is within an object is a path.
    expect([quotedName('k.c'), quotedPath('k.c d')]).toEqual(['`k.c`', 'k.`c d`']);
  });

  it('is at the end where the statement is too short, and none where none is told', () => {
    expect(errorPlace('syntax error at line 1, column 99', 'SELECT')).toEqual({
      from: 6,
      to: 6,
      suggestion: undefined,
    });
    expect(errorPlace('at line 7, column 1', 'SELECT')).toBeUndefined();
    expect(errorPlace('it took too long', 'SELECT')).toBeUndefined();
  });
});
