/** Limits for everything that a client can make grow. */
export const BOUNDS = {
  connections: 100,
  /** PostgreSQL's own limit for messages before authentication. */
  startupBytes: 10_000,
  /** The number of requests for encryption: one for each of the two kinds. */
  encryptions: 2,
  /** The time from the first byte to the end of authentication. */
  startupSeconds: 30,
  /** The size of a message: a statement has at most 256 KiB, and its values stand beside it. */
  messageBytes: 1024 * 1024,
  /** The most characters that one message has as statements. */
  textLength: 256 * 1024,
  /** The number of messages that wait while another one is answered; then no more are read. */
  waitingBytes: 64 * 1024,
  /** The number of named prepared statements of one connection, and the size of their texts. */
  statements: 1000,
  statementBytes: 8 * 1024 * 1024,
  portals: 64,
  /**
   * The number of portals whose rows are still being read: each holds one of the engine's readers.
   */
  openPortals: 4,
  /** The time after which a portal without further requests is closed. */
  portalSeconds: 300,
  /** The time after which a client that does not take its answer is cut off. */
  takeSeconds: 60,
  /** This many bytes are collected before they are sent. */
  writeBytes: 64 * 1024,
} as const;
