interface ServerSent {
  readonly event: string;
  readonly data: string;
  /** It is the last id that came, and empty before the first. */
  readonly id: string;
  /** The server may have said with it when to come again, in milliseconds. */
  readonly retry: number | undefined;
}

/** Reads a stream of server-sent events, as the HTML standard has them, a chunk at a time. */
export class EventStream {
  private rest = '';
  private event = '';
  private data: string[] = [];
  private retry: number | undefined;

  /**
   * Begins to read.
   * @param id is that of the last event that came over an earlier connection
   */
  constructor(public id = '') {}

  read(chunk: string): readonly ServerSent[] {
    const lines = (this.rest + chunk).split('\n');
    this.rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.line(line) ?? []);
  }

  private line(line: string): ServerSent | undefined {
    if (line === '') return this.end();
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === 'id') this.id = value;
    else if (field === 'event') this.event = value;
    else if (field === 'data') this.data.push(value);
    else if (field === 'retry') this.retry = Number(value);
    return undefined;
  }

  private end(): ServerSent | undefined {
    const { event, data, id, retry } = this;
    this.event = '';
    this.data = [];
    this.retry = undefined;
    if (data.length === 0) return undefined;
    return { event: event === '' ? 'message' : event, data: data.join('\n'), id, retry };
  }
}
