/** Texts of a stream of server-sent events, as the HTML standard has them. */

/** A row; its text has no line breaks. */
export const rowEvent = (row: string, id?: string): string =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${row}\n\n`;

export const namedEvent = (name: string, data: object, id?: string): string =>
  `event: ${name}\n${rowEvent(JSON.stringify(data), id)}`;

/** Keeps a connection open, and moves the client's place on when nothing was shown. */
export const heartbeat = (id: string): string => `: nothing new\nid: ${id}\n\n`;

/** The time after which the client may reconnect, in milliseconds. */
export const retryAfter = (milliseconds: number): string => `retry: ${milliseconds}\n`;
