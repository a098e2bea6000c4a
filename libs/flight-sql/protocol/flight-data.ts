import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { IpcMessage } from '../ipc/ipc-messages.js';

const [HEADER, BODY] = [2, 1000];

/** A message of Arrow's IPC format as one of Flight. The body is copied once, and not looked into. */
export function writeFlightData({ header, body }: Pick<IpcMessage, 'header' | 'body'>): Buffer {
  const writer = new BinaryWriter().tag(HEADER, WireType.LengthDelimited).bytes(header);
  if (body.length === 0) return Buffer.from(writer.finish());
  writer.tag(BODY, WireType.LengthDelimited).uint32(body.length);
  return Buffer.concat([writer.finish(), body]);
}
