import { bool, bytes, integers, maybeText, MessageType, text, texts } from './wire.js';

/** The messages of Arrow Flight SQL (`FlightSql.proto`, Apache-2.0), with the fields that are used here. */

/** `google.protobuf.Any`: a message, and which one it is. */
export const Any = new MessageType({ typeUrl: text(1), value: bytes(2) });

export const CommandStatementQuery = new MessageType({ query: text(1), transaction: bytes(2) });
export const TicketStatementQuery = new MessageType({ handle: bytes(1) });
export const CommandPreparedStatementQuery = new MessageType({ handle: bytes(1) });

export const CreatePreparedStatementRequest = new MessageType({
  query: text(1),
  transaction: bytes(2),
});
export const CreatePreparedStatementResult = new MessageType({
  handle: bytes(1),
  datasetSchema: bytes(2),
  parameterSchema: bytes(3),
});
export const DoPutPreparedStatementResult = new MessageType({ handle: bytes(1) });

export const CommandGetSqlInfo = new MessageType({ info: integers(1) });
export const CommandGetCatalogs = new MessageType({});
export const CommandGetDbSchemas = new MessageType({
  catalog: maybeText(1),
  schemaPattern: maybeText(2),
});
export const CommandGetTables = new MessageType({
  catalog: maybeText(1),
  schemaPattern: maybeText(2),
  tablePattern: maybeText(3),
  tableTypes: texts(4),
  includeSchema: bool(5),
});
export const CommandGetTableTypes = new MessageType({});
/** Asks for the keys of a table, or between two: there are none here, whatever the fields say. */
export const CommandGetKeys = new MessageType({});
