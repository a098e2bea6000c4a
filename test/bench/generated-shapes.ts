import { seededRandom } from '../fixtures/seeded-random.js';
import type { NamedShape } from './shape.js';

/** The random choices for one record come from here. */
interface Chance {
  /** A whole number from 0 to below this. */
  below(limit: number): number;
  fraction(): number;
  of<T>(values: readonly T[]): T;
  /** Makes so many things, each by its place. */
  many<T>(count: number, make: (place: number) => T): T[];
}

/** A record, or its JSON where JavaScript's numbers do not reach. */
type Make = (number: number, chance: Chance) => object | string;

const FIRST_MS = 1_767_225_600_000;
const WORDS = ['river', 'mill', 'sluice', 'wheel', 'grain', 'stone', 'weir', 'flour', 'sack'];
const LETTERS = ['水車', '製粉所', '강물', '方舟', 'Мельница', 'žrnovi', '🌊', '👩🏽‍🌾', '🇯🇵', 'é'];
const ESCAPES = ['\n', '\t', '"quoted"', 'C:\\mill\\', '\u0001', '\r\n', '</script>', "it's"];
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'];
const STATUSES = [200, 201, 301, 404, 500];

const words = (chance: Chance, count: number): string =>
  chance.many(count, () => chance.of(WORDS)).join(' ');
const address = ({ below }: Chance): string => `10.${below(256)}.${below(256)}.${below(256)}`;
const digits = ({ below }: Chance, count: number): string =>
  String(below(10 ** count)).padStart(count, '0');

const flat: Make = (id, chance) => ({
  id,
  host: `web-${chance.below(20)}`,
  method: chance.of(METHODS),
  path: `/items/${chance.below(100_000)}`,
  status: chance.of(STATUSES),
  bytes: chance.below(1_000_000),
  seconds: chance.below(30_000) / 10_000,
  client: address(chance),
  agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0)',
  cached: chance.fraction() < 0.3,
});

const dotted: Make = (id, chance) => ({
  '@timestamp': new Date(FIRST_MS + id * 7).toISOString(),
  'event.id': id,
  'event.dataset': 'nginx.access',
  'http.request.method': chance.of(METHODS),
  'http.request.bytes': chance.below(10_000),
  'http.response.status_code': chance.of(STATUSES),
  'http.response.body.bytes': chance.below(1_000_000),
  'url.path': `/items/${chance.below(100_000)}`,
  'source.ip': address(chance),
  'source.geo.country_iso_code': chance.of(['DE', 'FR', 'JP', 'US']),
  'user_agent.original': 'curl/8.5.0',
  'host.name': `web-${chance.below(20)}`,
  message: words(chance, 6),
});

const event: Make = (id, chance) =>
  chance.of<() => object>([
    () => ({ id, kind: 'view', page: `/p/${chance.below(999)}`, referrer: chance.of(WORDS) }),
    () => ({ id, kind: 'order', total: chance.below(1e6) / 100, items: [chance.below(99), 7] }),
    () => ({ id, kind: 'login', user: { name: chance.of(WORDS), admin: chance.below(2) > 0 } }),
    () => ({ id, kind: 'metric', name: chance.of(WORDS), value: chance.fraction(), tags: ['a'] }),
    () => ({ id, kind: 'error', message: words(chance, 8), stack: ['at a (a.js:1)', 'at b'] }),
  ])();

const deepList = ({ below, many }: Chance, levels: number): unknown =>
  levels === 0
    ? below(1000)
    : many(2 + below(2), () => deepList({ below, many } as Chance, levels - 1));

const MAKES: Readonly<Record<string, Make>> = {
  flat,
  'a field always null': (id, chance) => ({ ...(flat(id, chance) as object), parent: null }),
  'arrays of floats': (id, { fraction, many }) => ({ id, vector: many(64, fraction) }),
  'arrays of objects': (id, chance) => ({
    id,
    items: chance.many(6, (place) => ({
      place,
      sku: `sku-${chance.below(10_000)}`,
      price: chance.below(100_000) / 100,
      gift: chance.below(9) === 0,
    })),
  }),
  '19-digit ids, nanoseconds': (id, chance) =>
    `{"id":${id},"_timestamp":${FIRST_MS + id}${digits(chance, 6)},"trace":1${digits(chance, 9)}${digits(chance, 9)},"span":8${digits(chance, 9)}${digits(chance, 8)},"name":"${chance.of(WORDS)}"}`,
  'long texts with escapes': (id, chance) => ({
    id,
    body: chance.many(150, () => `${words(chance, 3)}${chance.of(ESCAPES)}`).join(' '),
  }),
  'dotted names (ECS)': dotted,
  '200 columns': (id, chance) =>
    Object.fromEntries([
      ['id', id],
      ...chance.many(199, (place) => [
        `column_${place}`,
        place % 2 === 0 ? chance.below(1_000_000) : chance.of(WORDS),
      ]),
    ]) as object,
  '300 sparse fields': (id, chance) =>
    Object.fromEntries([
      ['id', id],
      ...chance.many(15, (place) => [`field_${place * 20 + chance.below(20)}`, chance.below(1e6)]),
    ]) as object,
  'booleans, nulls, empty texts': (id, { of, many }) =>
    Object.fromEntries([
      ['id', id],
      ...many(8, (place) => [`truth_${place}`, of([true, false, null])]),
      ...many(8, (place) => [`text_${place}`, of(['', '', null, 'x'])]),
    ]) as object,
  'several kinds of events': event,
  'nested objects': (id, chance) => ({
    id,
    request: {
      method: chance.of(METHODS),
      from: { address: address(chance), place: { city: chance.of(WORDS), zone: chance.below(24) } },
      headers: { host: 'example.com', accept: { type: 'text/html', quality: chance.fraction() } },
    },
  }),
  'vectors of 0.0 and 1.0': (id, { below, fraction }) => {
    const values = Array.from({ length: 100 }, () => (below(9) === 0 ? '1.0' : '0.0'));
    return `{"id":${id},"vector":[${values.join(',')},${fraction()}]}`;
  },
  'numbers with exponents': (id, { fraction, many }) =>
    `{"id":${id},${many(10, (place) => `"value_${place}":${(fraction() / 1e5).toExponential(7)}`).join(',')}}`,
  // Python writes blanks, and all letters beyond ASCII as escapes.
  'names with escapes': (id, { below, fraction, of }) =>
    `{"id": ${id}, "gr\\u00f6\\u00dfe": ${below(100_000)}, "h\\u00f6he": ${fraction()}, "stra\\u00dfe": "${of(WORDS)}", "pr\\u00fcfung": {"l\\u00e4nge": ${below(1000)}, "g\\u00fcltig": true}}`,
  'deep lists': (id, chance) => ({ id, cells: deepList(chance, 5) }),
  'unicode texts': (id, chance) => ({
    id,
    título: chance.many(4, () => chance.of(LETTERS)).join(''),
    text: chance.many(30, () => chance.of(LETTERS)).join(' '),
  }),
  'tiny records': (n) => ({ n }),
  'records of 100 KB': (id, chance) => ({
    id,
    text: words(chance, 8_000),
    numbers: chance.many(4_000, () => chance.below(1e6)),
    lines: chance.many(400, (line) => ({ line, text: words(chance, 5) })),
  }),
};

const KEYS: Readonly<Record<string, string>> = {
  'tiny records': 'n',
  'dotted names (ECS)': 'event.id',
};
const TIMES: Readonly<Record<string, string>> = {
  'dotted names (ECS)': "parseDateTime64BestEffort(assumeNotNull(`@timestamp`), 6, 'UTC')",
  '19-digit ids, nanoseconds': "fromUnixTimestamp64Nano(assumeNotNull(_timestamp), 'UTC')",
};

function chanceOf(seed: number): Chance {
  const fraction = seededRandom(seed);
  const below = (limit: number): number => Math.floor(fraction() * limit);
  return {
    fraction,
    below,
    of: <T>(values: readonly T[]) => values[below(values.length)] as T,
    many: (count, make) => Array.from({ length: count }, (_, place) => make(place)),
  };
}

const jsonOf = (made: object | string): string =>
  typeof made === 'string' ? made : JSON.stringify(made);

function generated(name: string, make: Make): NamedShape {
  const time = TIMES[name];
  const shape = {
    key: KEYS[name] ?? 'id',
    ...(time === undefined ? {} : { time }),
    line: (number: number) => jsonOf(make(number, chanceOf(number))),
    isRejected: () => false,
  };
  return { name, open: () => Promise.resolve(shape) };
}

/** Flat records, of which the last of so many has a text where the column has integers. */
function partlyRejected(every: number): NamedShape {
  const isRejected = (number: number): boolean => number % every === every - 1;
  const line = (number: number): string => {
    const record = flat(number, chanceOf(number)) as object;
    return jsonOf(isRejected(number) ? { ...record, status: 'unknown' } : record);
  };
  return {
    name: `1 of ${every.toLocaleString('en')} rejected`,
    open: () => Promise.resolve({ key: 'id', line, isRejected }),
  };
}

/** Each record is made of its own number, so that none depends on how many there are. */
export const GENERATED_SHAPES: readonly NamedShape[] = [
  ...Object.entries(MAKES).map(([name, make]) => generated(name, make)),
  partlyRejected(1000),
  partlyRejected(100),
];
