/** The bounds of all that a client can make grow. */
export const BOUNDS = {
  connections: 100,
  /** PostgreSQL's own bound of what comes before somebody is known. */
  startupBytes: 10_000,
  /** The time from the first byte to the end of authentication. */
  startupSeconds: 30,
  /** A statement has at most 256 KiB, and its values stand beside it. */
  messageBytes: 1024 * 1024,
  /** The most characters that one message has as statements. */
  textLength: 256 * 1024,
  /** Messages that came while another one is answered; then nothing more is read. */
  waitingBytes: 64 * 1024,
  /** The most statements that one connection has prepared by name, with all their texts. */
  statements: 1000,
  statementBytes: 8 * 1024 * 1024,
  portals: 64,
  /** The most of these whose rows are still being read: each holds one of the engine's readers. */
  openPortals: 4,
  /** A portal that nobody asks for more rows. */
  portalSeconds: 300,
  /** A client that does not take its answer. */
  takeSeconds: 60,
  /** So many bytes are put together before they are sent. */
  writeBytes: 64 * 1024,
} as const;
