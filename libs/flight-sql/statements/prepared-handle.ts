import type { EngineValue } from './engine-value.js';
import { bool, bytes, messages, MessageType, text } from '../protocol/wire.js';

/**
 * A statement that a client has prepared, with its values. All of it is in the handle that the
 * client keeps. So clients cannot fill the server's memory with statements, and a handle is good
 * after a restart. The server trusts a handle no more than a new request, and judges it each time.
 */
export interface PreparedStatement {
  readonly sql: string;
  /** Undefined means: null. */
  readonly values: readonly (EngineValue | undefined)[];
}

const Value = new MessageType({
  isThere: bool(1),
  type: text(2),
  text: bytes(3),
  isHex: bool(4),
});
const Handle = new MessageType({ sql: text(1), values: messages(2, Value) });

export const writeHandle = ({ sql, values }: PreparedStatement): Buffer =>
  Handle.encode({
    sql,
    values: values.map((value) => ({
      isThere: value !== undefined,
      type: value?.type ?? '',
      text: Buffer.from(value?.text ?? ''),
      isHex: value?.isHex ?? false,
    })),
  });

/** @throws {MillraceError} INVALID_PARAMETER */
export function readHandle(handle: Buffer): PreparedStatement {
  const { sql, values } = Handle.decode(handle);
  return {
    sql,
    values: values.map(({ isThere, type, text: value, isHex }) =>
      isThere
        ? { type, text: value.toString('utf8'), ...(isHex && { isHex: true as const }) }
        : undefined,
    ),
  };
}
