/** One record of a fixture, with its producer and its kind. */
interface FixtureRecord {
  readonly offset: number;
  readonly producerId: number;
  readonly kind: 'data' | 'commit' | 'abort';
}

interface AbortedFixture {
  readonly producerId: number;
  readonly firstOffset: number;
}

const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
const MAGIC = 2;
const NO_REPLICA = -1;

/**
 * A broker's answer to version 11 of the fetch request, as bytes: one topic with one partition.
 * The bytes are written here, and not by the client, because the client is what they test.
 */
export function fetchAnswerBytes(
  records: readonly FixtureRecord[],
  aborted: readonly AbortedFixture[],
): Buffer {
  const batches = Buffer.concat(records.map(recordBatch));
  return Buffer.concat([
    ...[int32(0), int16(0), int32(0)], // The throttle time, the error and the session.
    ...[int32(1), int16(1), Buffer.from('t')],
    ...[int32(1), int32(0), int16(0)],
    ...[int64(records.length), int64(records.length), int64(0)],
    int32(aborted.length),
    ...aborted.flatMap(({ producerId, firstOffset }) => [int64(producerId), int64(firstOffset)]),
    ...[int32(NO_REPLICA), int32(batches.length), batches],
  ]);
}

/** Each record is a batch of its own, since a batch belongs to one producer. */
function recordBatch({ offset, producerId, kind }: FixtureRecord): Buffer {
  const isControl = kind !== 'data';
  const key = isControl ? Buffer.from([0, 0, 0, kind === 'abort' ? 0 : 1]) : Buffer.from('k');
  const value = Buffer.from('value!');
  const record = Buffer.concat([
    ...[Buffer.from([0, 0, 0]), varint(key.length), key],
    ...[varint(value.length), value, varint(0)],
  ]);
  const body = Buffer.concat([
    ...[int32(0), Buffer.from([MAGIC]), int32(0)], // The client does not check the checksum.
    ...[int16(TRANSACTIONAL | (isControl ? CONTROL : 0)), int32(0), int64(0), int64(0)],
    ...[int64(producerId), int16(0), int32(0)],
    ...[int32(1), varint(record.length), record],
  ]);
  return Buffer.concat([int64(offset), int32(body.length), body]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(value));
  return bytes;
}

/** Kafka's signed number in one byte, for values below 64. */
const varint = (value: number): Buffer => Buffer.from([value * 2]);
