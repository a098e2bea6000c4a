import { checkMoment } from './casts-to-moment.js';

describe('texts that are cast to a time', () => {
  it.each([
    '2024-01-31',
    '2024/1/3 5:3',
    '20240131',
    ' 2024-01-31T10:30:00.5Z ',
    '2024-01-31 10:30:00 +02:00',
    '2024-01-31 24:00',
    'Mon, 01 Jan 2024 10:00:00 GMT',
    'Jan 1, 2024',
  ])('takes %s', (text) => {
    expect(() => {
      checkMoment(text);
    }).not.toThrow();
  });

  it.each(['12', '1.5', '2024', '2024-01', '10:30', '1704067200', '2024-01-31 10:61', 'May', ''])(
    'refuses %j, of which the engine would make up the rest',
    (text) => {
      expect(() => {
        checkMoment(text);
      }).toThrow('is no time: 2024-01-31 10:30:00 is one');
    },
  );
});
