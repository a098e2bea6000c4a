const MIB = 1024 * 1024;

/** Limits for everything that a client can make grow. */
export const BOUNDS = {
  connections: 100,
  /** The time from a connection until a call on it is admitted. */
  startupSeconds: 30,
  /** The time after which a connection without a call is closed. */
  idleSeconds: 300,
  /**
   * After this time clients are asked to use a new connection, and calls have as long again to end.
   * Otherwise a call that its client never ends would keep a connection for ever.
   */
  ageSeconds: 3600,
  /** The most calls of one connection, at once. */
  callsOfConnection: 16,
  /** The most calls of all connections, at once. */
  calls: 100,
  /** The number of handshakes at once whose clients have not authenticated yet. */
  strangers: 16,
  /** A message that comes in: a statement has at most 256 KiB, and its values stand beside it. */
  messageBytes: MIB,
  /** All messages of one call together. */
  callBytes: MIB,
  /**
   * The number of messages: a schema and a row are two, and clients put empty ones between them.
   */
  callMessages: 10,
  /** A message that goes out: clients of gRPC take no larger ones unless they are told to. */
  sentMessageBytes: 4 * MIB - 4096,
  /** The size of a block of rows that is held to be sent. */
  blockBytes: 256 * MIB,
  /** The time after which a client that does not take its answer is cut off. */
  takeSeconds: 60,
  /** The time from the headers of a call until the client has sent all of it. */
  sendSeconds: 30,
  /** The number of values of a statement. */
  parameters: 1000,
  /** Characters of a pattern of names. */
  pattern: 1000,
} as const;
