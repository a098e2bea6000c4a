import { isOfEngine, withoutLiterals } from './without-literals.js';

describe('words about a statement, without what stood in it', () => {
  it.each([
    "Cannot parse string 'hunter2' as Int64: In scope SELECT toInt64('hunter2') AS hunter2",
    "Syntax error: failed at position 8 (hunter2): hunter2' FROM t. Expected one of: token",
    "Code: 62. Single quoted string is not closed: ''hunter2",
    'Row 1: Column 0, name: a, parsed text: "hunter2"',
    "'it\\'s hunter2' is none",
    "'it''s hunter2' is none",
  ])('%s', (text) => {
    expect(withoutLiterals(text)).not.toContain('hunter2');
  });

  it('keeps what tells the cause', () => {
    expect(withoutLiterals("Cannot parse string 'x' as Int64 (6)")).toBe(
      'Cannot parse string ? as Int64 (6)',
    );
    expect(withoutLiterals('card 4111111111111111 of Code: 241')).toBe('card ? of Code: 241');
  });

  it('knows the engine by what caused an error', () => {
    const cause = new Error('Code: 47. DB::Exception: no');
    expect(isOfEngine(new Error('failed', { cause }))).toBe(true);
    expect(isOfEngine(new Error('failed'))).toBe(false);
  });
});
