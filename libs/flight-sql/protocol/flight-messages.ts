import { bool, bytes, integer, message, messages, MessageType, text, texts } from './wire.js';

/** The messages of Arrow Flight (`Flight.proto`, Apache-2.0), with the fields that are used here. */

export const HandshakeRequest = new MessageType({ payload: bytes(2) });
export const HandshakeResponse = new MessageType({ payload: bytes(2) });
/** The payload of a handshake of old clients. */
export const BasicAuth = new MessageType({ username: text(2), password: text(3) });

export const Action = new MessageType({ type: text(1), body: bytes(2) });
export const ActionType = new MessageType({ type: text(1), description: text(2) });
export const Result = new MessageType({ body: bytes(1) });
export const PutResult = new MessageType({ appMetadata: bytes(1) });

/** The type of a descriptor whose bytes are a command. */
export const BY_COMMAND = 2;
export const FlightDescriptor = new MessageType({
  type: integer(1),
  command: bytes(2),
  path: texts(3),
});

export const Ticket = new MessageType({ ticket: bytes(1) });
const FlightEndpoint = new MessageType({ ticket: message(1, Ticket) });

/** The size of an answer that is not known before it is made. */
export const UNKNOWN_SIZE = -1;
export const FlightInfo = new MessageType({
  schema: bytes(1),
  descriptor: message(2, FlightDescriptor),
  endpoints: messages(3, FlightEndpoint),
  totalRecords: integer(4),
  totalBytes: integer(5),
  ordered: bool(6),
});
export const SchemaResult = new MessageType({ schema: bytes(1) });

/** The message as clients send it; answers are written by `flight-data.ts`. */
export const FlightData = new MessageType({
  descriptor: message(1, FlightDescriptor),
  header: bytes(2),
  body: bytes(1000),
});
