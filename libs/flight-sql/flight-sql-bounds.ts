const MIB = 1024 * 1024;

/** The bounds of all that a client can make grow. */
export const BOUNDS = {
  connections: 100,
  /** The time from a connection until a call on it is admitted. */
  startupSeconds: 30,
  /** A client that has nothing more to ask. */
  idleSeconds: 300,
  /**
   * Clients are told then to go on with another connection, and calls have as long again to end:
   * a call that its client never ends would keep a connection for ever.
   */
  ageSeconds: 3600,
  /** The most calls of one connection, at once. */
  callsOfConnection: 16,
  /** The most calls of all connections, at once. */
  calls: 100,
  /** Handshakes at once whose clients have not said yet who they are. */
  strangers: 16,
  /** A message that comes in: a statement has at most 256 KiB, and its values stand beside it. */
  messageBytes: MIB,
  /** All messages of one call together. */
  callBytes: MIB,
  /** The same: a schema and a row are two, and clients put empty ones between. */
  callMessages: 10,
  /** A message that goes out: clients of gRPC take no larger ones unless they are told to. */
  sentMessageBytes: 4 * MIB - 4096,
  /** A block of rows, which is held to be sent. */
  blockBytes: 256 * MIB,
  /** A client that does not take its answer. */
  takeSeconds: 60,
  /** The time from the headers of a call until the client has sent all of it. */
  sendSeconds: 30,
  /** Values of a statement. */
  parameters: 1000,
  /** Characters of a pattern of names. */
  pattern: 1000,
} as const;
