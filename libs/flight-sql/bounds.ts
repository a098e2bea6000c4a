const MIB = 1024 * 1024;

/** Of all that a client can make grow. */
export const BOUNDS = {
  connections: 100,
  /** A client that opens a connection and says nothing, or has nothing more to ask. */
  idleSeconds: 300,
  /** Of one connection, at once. */
  callsOfConnection: 16,
  /** Of all connections, at once. */
  calls: 100,
  /** A message that comes in: a statement has at most 256 KiB, and its values stand beside it. */
  messageBytes: MIB,
  /** All messages of one call together. */
  callBytes: MIB,
  /** A message that goes out: clients of gRPC take no larger ones unless they are told to. */
  sentMessageBytes: 4 * MIB - 4096,
  /** A block of rows, which is held to be sent. */
  blockBytes: 256 * MIB,
  /** A client that does not take its answer. */
  takeSeconds: 60,
  /** A client that does not go on with what it sends. */
  sendSeconds: 30,
  /** Values of a statement. */
  parameters: 1000,
  /** Characters of a pattern of names. */
  pattern: 1000,
} as const;
