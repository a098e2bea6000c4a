/** The kinds of values, in the order that they have in the answer's union. */
export type SqlInfoValue = string | boolean | bigint | number;

/** The numbers of enumerations that are used. */
const WITHOUT_TRANSACTIONS = 0;
const ANY_CASE = 1;
const NULLS_AT_END = 3;
const NO_LIMIT = 0;

/** Facts about the server, by the numbers of `SqlInfo` in `FlightSql.proto`. */
export const sqlInfoValues = (version: string): ReadonlyMap<number, SqlInfoValue> =>
  new Map<number, SqlInfoValue>([
    /** Name and version of the server, and of the format that it writes. */
    [0, 'Millrace'],
    [1, version],
    [2, '1.5'],
    /** The server only reads; it takes SQL, and no plans of Substrait. */
    [3, true],
    [4, true],
    [5, false],
    [8, WITHOUT_TRANSACTIONS],
    /** Tells whether the server cancels by an action. Clients cancel the call instead. */
    [9, false],
    /** Tells whether rows can be put into tables. */
    [10, false],
    [11, false],
    [100, NO_LIMIT],
    [101, NO_LIMIT],
    /** Tells whether catalogs, schemas and tables can be made. */
    [500, false],
    [501, false],
    [502, false],
    [503, ANY_CASE],
    [504, '"'],
    [505, ANY_CASE],
    [506, true],
    [507, NULLS_AT_END],
  ]);
