import { writeBinaryType } from '@app/warehouse';
import { TEXT } from '../values/kinds.js';
import { AS_IT_STANDS } from '../values/value-reader.js';
import { TypedColumn } from './typed-column.js';

/** Bytes of one value: their base64 is longer than a regular expression can go without a stack overflow. */
const SIZE = 8 * 1024 * 1024;
const LONG = Buffer.alloc(SIZE, 0xa5).toString('base64');

describe('a column of bytes', () => {
  const column = TypedColumn.of(writeBinaryType({}));
  const json = (text: string): string | undefined => {
    const written = Buffer.from(JSON.stringify(text));
    return column?.json(written, TEXT, 0, written.length);
  };
  const field = (text: string): string | undefined =>
    column?.field(Buffer.from(text), 0, text.length, true);

  it('takes base64 of 8 MiB in JSON and in CSV', () => {
    expect(json(LONG) === AS_IT_STANDS).toBe(true);
    expect(field(LONG) === `"${LONG}"`).toBe(true);
  });

  it.each([
    ...['A', 'AA', 'AAA', 'AA=', 'AB==', 'AA==\n', ' AA==', 'AA==AA==', '-_-_', 'é'],
    `${LONG.slice(0, -1)}!`,
  ])('takes no text that is not base64 as it is answered', (text) => {
    expect([json(text), field(text)]).toEqual([undefined, undefined]);
  });
});
