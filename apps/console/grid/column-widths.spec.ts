import { columnsOf, fitted } from './column-widths.js';

const LONG = 'x'.repeat(100);

describe('widths of columns', () => {
  it('go by what is in them, up to a width that leaves place for others', () => {
    const columns = columnsOf([JSON.stringify({ n: 1, text: LONG })]);
    expect(columns).toEqual([
      { name: 'n', width: 64, widest: 64, isNumeric: true },
      { name: 'text', width: 420, widest: 820, isNumeric: false },
    ]);
  });

  it('come with the side on which the heads stand: on the right above numbers alone', () => {
    const rows = [
      { n: null, mixed: 1, none: null },
      { n: 1, mixed: 'a', none: null },
    ];
    const columns = columnsOf(rows.map((row) => JSON.stringify(row)));
    expect(columns.map(({ isNumeric }) => isNumeric)).toEqual([true, false, false]);
  });

  it('take what a wide screen has left, but no more than is needed', () => {
    const columns = columnsOf([
      JSON.stringify({ n: 1, some: 'x'.repeat(60), text: LONG, more: LONG }),
    ]);
    const widths = (room: number) => fitted(columns, room).map(({ width }) => width);
    expect(widths(0)).toEqual([64, 420, 420, 420]);
    expect(widths(1324 + 300)).toEqual([64, 500, 530, 530]);
    expect(widths(3840)).toEqual([64, 500, 820, 820]);
  });
});
