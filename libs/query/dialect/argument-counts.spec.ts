import { KNOWN_FUNCTIONS } from '../guard/functions/allowed-functions.js';
import { TRANSLATED_FUNCTIONS } from './functions/translated-functions.js';
import { inEngineWords, type Surroundings } from './standard-sql.js';

const COLUMNS: Readonly<Record<string, string>> = {
  n: 'Nullable(Int64)',
  day: 'Nullable(Date32)',
  at: "Nullable(DateTime64(6, 'UTC'))",
  cores: 'Array(Tuple(core Nullable(String)))',
};
const SURROUNDINGS: Surroundings = {
  typeOfColumn: (name) => COLUMNS[name],
  spelling: () => undefined,
  table: () => undefined,
  session: () => undefined,
};
const ARGUMENTS = ["'day'", 'at', 'n', '(SELECT 1)', 'cores'];
const MOST = 4;

/**
 * The engine counts arguments only after it has parsed a statement, which is after the translation.
 */
describe('calls with too few arguments, and too many', () => {
  it('are left to the engine', () => {
    const failed: string[] = [];
    const names = [...new Set([...KNOWN_FUNCTIONS, ...TRANSLATED_FUNCTIONS])];
    for (const name of names)
      for (let count = 0; count <= MOST; count += 1)
        for (let first = 0; first < ARGUMENTS.length; first += 1) {
          const given = Array.from(
            { length: count },
            (_, at) => ARGUMENTS[(first + at) % ARGUMENTS.length],
          );
          const statement = `SELECT ${name}(${given.join(', ')}) AS v FROM t`;
          try {
            inEngineWords(statement, SURROUNDINGS);
          } catch (error) {
            if (!isRefusal(error)) failed.push(`${statement}: ${String(error)}`);
          }
        }
    expect(names.length).toBeGreaterThan(500);
    expect(failed).toEqual([]);
  });
});

const isRefusal = (error: unknown): boolean => (error as Error).name === 'MillraceError';
