import { refuseLongRecord } from './record-limit.js';

describe('refuseLongRecord', () => {
  const look = (text: string, begun?: number, line?: number) => (): void =>
    refuseLongRecord(Buffer.from(text), {
      maxRecordBytes: 4,
      ...(begun === undefined ? {} : { begun }),
      ...(line === undefined ? {} : { line }),
    });

  it.each(['', 'abcd', 'abcd\n', 'abcd\nabcd\nabcd', '\n\n\n\n\n\n'])('takes %j', (text) => {
    expect(look(text)).not.toThrow();
  });

  it.each([
    ['abcde', 1],
    ['abcd\nabcde\na', 2],
    ['a\n\nabcde', 3],
  ])('refuses %j', (text, line) => {
    expect(look(text)).toThrow(`record ${line} is longer than 4 bytes`);
  });

  it('counts what came before', () => {
    expect(look('cd\nabcd', 2)).not.toThrow();
    expect(look('cd\nabcd', 3, 7)).toThrow('record 7 is');
    expect(look('\nabcde', 4, 7)).toThrow('record 8 is');
  });
});
