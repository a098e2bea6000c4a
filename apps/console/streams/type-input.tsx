import { AS_TYPED } from '../form/as-typed.js';
/** These types can be declared; those with numbers in brackets are examples. */
const TYPES = [
  ...['Boolean', 'Utf8', 'UUID', 'Date32', 'Timestamp', 'Timestamp(Millisecond, None)'],
  ...['Time64(Second)', 'Decimal128(15, 2)', 'Float32', 'Float64'],
  ...['Int8', 'Int16', 'Int32', 'Int64', 'UInt8', 'UInt16', 'UInt32', 'UInt64'],
  ...['List<Utf8>', 'List<Int64>', 'Struct'],
];

interface Props {
  /** It is the id of the list of types, and the page's only one of that name. */
  readonly list: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** Takes a type by Arrow's name. */
export function TypeInput({ list, value, onInput }: Props) {
  return (
    <>
      <label>
        Type
        <input
          {...AS_TYPED}
          required
          list={list}
          value={value}
          onInput={({ currentTarget }) => onInput(currentTarget.value)}
        />
      </label>
      <datalist id={list}>
        {TYPES.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
