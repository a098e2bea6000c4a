import { arrowType, field } from './arrow-type.js';

describe('a type of the engine', () => {
  it.each([
    ['Nullable(Int64)', 'Int64'],
    ['UInt8', 'UInt8'],
    ['LowCardinality(Nullable(String))', 'Utf8'],
    ['Nullable(Bool)', 'Boolean'],
    ['Date32', 'Date32'],
    ['UUID', { FixedSizeBinary: 16 }],
    ['Nullable(SimpleAggregateFunction(any, String))', 'Binary'],
    ['SimpleAggregateFunction(anyLast, FixedString(8))', { FixedSizeBinary: 4 }],
    ['SimpleAggregateFunction(sum, Int64)', 'Int64'],
    ["DateTime64(6, 'UTC')", { Timestamp: ['Microsecond', 'UTC'] }],
    ['Nullable(DateTime64(9))', { Timestamp: ['Nanosecond', null] }],
    ['DateTime', { Timestamp: ['Second', null] }],
    ["DateTime('Europe/Berlin')", { Timestamp: ['Second', 'Europe/Berlin'] }],
    ['Nullable(Decimal(10, 2))', { Decimal128: [10, 2] }],
    ['Decimal(76, 0)', { Decimal256: [76, 0] }],
    ['FixedString(16)', { FixedSizeBinary: 16 }],
    ['Array(Nullable(String))', { List: field('item', 'Utf8', true) }],
    [
      'Tuple(`a b, (c)` Nullable(Int32), `d\\`` Array(Tuple(e Float64)), f Map(String, UInt8))',
      {
        Struct: [
          field('a b, (c)', 'Int32', true),
          field(
            'd`',
            { List: field('item', { Struct: [field('e', 'Float64', false)] }, true) },
            false,
          ),
          field(
            'f',
            {
              Map: [
                field(
                  'entries',
                  { Struct: [field('keys', 'Utf8', false), field('values', 'UInt8', false)] },
                  false,
                ),
                false,
              ],
            },
            false,
          ),
        ],
      },
    ],
    ['Tuple(Int8, String)', { Struct: [field('1', 'Int8', false), field('2', 'Utf8', false)] }],
  ])('%s is told with the words of Arrow', (type, told) => expect(arrowType(type)).toEqual(told));
});
