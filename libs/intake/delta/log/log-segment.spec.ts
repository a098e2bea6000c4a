import { chooseSegment } from './log-segment.js';

const version = (number: number): string => String(number).padStart(20, '0');
const commits = (...numbers: number[]): string[] =>
  numbers.map((number) => `${version(number)}.json`);
const UUID = '3a0d65cd-4056-49b8-937b-95f9e3ee90e5';

describe('the files of a log that are read', () => {
  it('is every commit from the first, in order', () => {
    expect(chooseSegment(commits(2, 0, 1))).toEqual({
      version: 2,
      checkpoint: [],
      commits: commits(0, 1, 2),
    });
  });

  it('is the newest checkpoint that is whole, and what came after', () => {
    const checkpoints = [1, 2].map((nth) => {
      const numbers = [nth, 2].map((number) => String(number).padStart(10, '0')).join('.');
      return `${version(4)}.checkpoint.${numbers}.parquet`;
    });
    const names = [...commits(2, 3, 4, 5), `${version(2)}.checkpoint.parquet`, ...checkpoints];
    expect(chooseSegment(names)).toEqual({
      version: 5,
      checkpoint: checkpoints,
      commits: commits(5),
    });
    expect(chooseSegment(names.slice(0, -1))).toMatchObject({
      checkpoint: [`${version(2)}.checkpoint.parquet`],
      commits: commits(3, 4, 5),
    });
  });

  it.each(['json', 'parquet'])('may begin with a checkpoint of the second kind (%s)', (ending) => {
    const name = `${version(7)}.checkpoint.${UUID}.${ending}`;
    expect(chooseSegment([name])).toEqual({ version: 7, checkpoint: [name], commits: [] });
  });

  it('is no more than the version asked for needs', () => {
    const names = [...commits(0, 1, 2, 3), `${version(3)}.checkpoint.parquet`];
    expect(chooseSegment(names, 2)).toMatchObject({ checkpoint: [], commits: commits(0, 1, 2) });
  });

  it('ignores what else there is', () => {
    const names = [
      '_last_checkpoint',
      '00000000000000000000.crc',
      `${version(0)}.${version(1)}.compacted.json`,
      `${version(1)}.${UUID}.json`,
      '._00000000000000000001.json',
    ];
    expect(chooseSegment([...names, ...commits(0)])).toMatchObject({ version: 0 });
    expect(() => chooseSegment(names)).toThrow('there is no commit');
  });

  it.each<[string, string[], number | undefined, string]>([
    ['a gap', commits(0, 2), undefined, `${version(1)}.json is missing`],
    ['no beginning', commits(3, 4), undefined, `${version(0)}.json is missing`],
    ['a version to come', commits(0), 1, 'there is no version 1; the newest is 0'],
    [
      'a version before the log',
      [`${version(9)}.checkpoint.parquet`, ...commits(9)],
      8,
      `${version(0)}.json is missing`,
    ],
  ])('is nothing when there is %s', (_, names, wanted, message) => {
    expect(() => chooseSegment(names, wanted)).toThrow(message);
  });
});
