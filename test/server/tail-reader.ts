import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { text } from 'node:stream/consumers';
import { ROOT } from './start-server.js';

interface TailEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads server-sent events as the standard has it, and remembers the last id over connections. */
export class TailReader {
  readonly events: TailEvent[] = [];
  lastEventId = '';
  retry: number | undefined;
  comments = 0;
  /** Resolves when the connection is closed, whether it ended well or was cut. */
  closed: Promise<unknown> = Promise.resolve();
  private response: IncomingMessage | undefined;

  constructor(
    private readonly path: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** @returns the status, and what was said where it is not 200 @throws when nobody listens there */
  async connect(url: string): Promise<{ readonly status: number; readonly said: string }> {
    const id = this.lastEventId === '' ? {} : { 'last-event-id': this.lastEventId };
    const sent = request(new URL(this.path, url), { headers: { ...this.headers, ...id } });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const status = response.statusCode ?? 0;
    if (status !== 200) return { status, said: await text(response) };
    this.response = response;
    this.read(response);
    return { status, said: '' };
  }

  /** Data of the rows so far. */
  rows<Row = Record<string, unknown>>(): Row[] {
    return this.events
      .filter(({ event }) => event === 'message')
      .map(({ data }) => JSON.parse(data) as Row);
  }

  /** Tells why the tail has ended, if it said so. */
  end(): string | undefined {
    const last = this.events.findLast(({ event }) => event === 'end');
    return last && (JSON.parse(last.data) as { reason: string }).reason;
  }

  pause(): void {
    this.response?.pause();
  }

  resume(): void {
    this.response?.resume();
  }

  leave(): void {
    this.response?.destroy();
  }

  private read(response: IncomingMessage): void {
    const decoder = new StringDecoder('utf8');
    let rest = '';
    let id = this.lastEventId;
    let event = '';
    let data: string[] = [];
    const line = (whole: string): void => {
      const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(whole) ?? [];
      if (whole === '') {
        this.lastEventId = id;
        if (data.length > 0)
          this.events.push({ event: event === '' ? 'message' : event, data: data.join('\n') });
        [event, data] = ['', []];
      } else if (whole.startsWith(':')) this.comments += 1;
      else if (field === 'id') id = value;
      else if (field === 'event') event = value;
      else if (field === 'data') data.push(value);
      else if (field === 'retry') this.retry = Number(value);
      else throw new Error(`no line of an event stream: ${whole}`);
    };
    response.on('data', (bytes: Buffer) => {
      const lines = (rest + decoder.write(bytes)).split('\n');
      rest = lines.pop() ?? '';
      for (const each of lines) line(each);
    });
    // A connection that is cut says so by an error.
    response.on('error', () => undefined);
    this.closed = new Promise((resolve) => response.once('close', resolve));
  }
}

/** Asks for a tail and tells the status; a tail that begins is left. */
export async function tailStatus(
  url: string,
  path: string,
  credentials: { readonly email: string; readonly password: string } | 'none' = ROOT,
  address = '127.0.0.1',
): Promise<number> {
  const forwarded = { 'x-forwarded-for': address };
  const known = credentials === 'none' ? {} : basic(credentials.email, credentials.password);
  const reader = new TailReader(path, { ...forwarded, ...known });
  const { status } = await reader.connect(url);
  reader.leave();
  return status;
}

export const basic = (email: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`,
});
