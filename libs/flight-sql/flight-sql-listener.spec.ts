import { once } from 'node:events';
import { connect, type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { MillraceError, type Logger } from '@app/platform';
import type { TableHold } from '@app/query';
import { BOUNDS } from './flight-sql-bounds.js';
import type { FlightSqlDoor } from './flight-sql-door.js';
import { FlightSqlListener } from './flight-sql-listener.js';
import { FLIGHT_SERVICE } from './protocol/flight-service.js';
import type { Answerers } from './session/questions.js';

const [OK, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNAUTHENTICATED] = ['0', '4', '8', '16'];
const TOKEN = 'Bearer token';
/** A message of no bytes, as gRPC frames it. */
const EMPTY = Buffer.alloc(5);

describe('the listener for clients of Arrow Flight SQL', () => {
  const logged: unknown[] = [];
  const logger = { error: (told: unknown) => logged.push(told) } as unknown as Logger;
  const door: FlightSqlDoor = {
    admit: (authorization) => {
      if (authorization === TOKEN) return 'token';
      throw new MillraceError('UNAUTHORIZED', 'show the token');
    },
    hold: () => ({ organization: undefined, release: () => undefined }) as unknown as TableHold,
  };
  let listener: FlightSqlListener | undefined;
  let sessions: ClientHttp2Session[] = [];

  async function open(waits?: { startupSeconds: number; sendSeconds: number }): Promise<string> {
    listener = new FlightSqlListener({} as Answerers, door, logger, waits);
    return listener.open({ host: '127.0.0.1', port: 0 });
  }

  function session(address: string): ClientHttp2Session {
    const made = connect(address.replace('grpc:', 'http:'));
    made.on('error', () => undefined);
    sessions.push(made);
    return made;
  }

  function call(
    by: ClientHttp2Session,
    { path }: { readonly path: string },
    authorization?: string,
    more: Readonly<Record<string, string>> = {},
  ): ClientHttp2Stream {
    const grpc = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' };
    const headers = { ...grpc, ':path': path, ...(authorization && { authorization }), ...more };
    const stream = by.request(headers, { endStream: false });
    stream.on('error', () => undefined);
    stream.resume();
    return stream;
  }

  /** The state that a call ends with. */
  async function state(stream: ClientHttp2Stream): Promise<unknown> {
    return new Promise((resolve) => {
      stream.on('response', (headers) => headers['grpc-status'] !== undefined && resolve(headers['grpc-status'])); // prettier-ignore
      stream.on('trailers', (headers: Record<string, unknown>) => resolve(headers['grpc-status']));
      stream.on('close', () => resolve('closed'));
    });
  }

  /** A refusal arrives after earlier messages of the same connection. */
  async function untilHeard(by: ClientHttp2Session): Promise<void> {
    expect(await state(call(by, FLIGHT_SERVICE.doGet))).toBe(UNAUTHENTICATED);
  }

  afterEach(async () => {
    for (const each of sessions) each.destroy();
    sessions = [];
    await listener?.close();
  });

  it('a stranger is refused before anything of a request is read', async () => {
    const by = session(await open());
    for (const method of [FLIGHT_SERVICE.getFlightInfo, FLIGHT_SERVICE.doGet, FLIGHT_SERVICE.doPut])
      expect(await state(call(by, method))).toBe(UNAUTHENTICATED);
    expect(await state(call(by, FLIGHT_SERVICE.handshake, 'Bearer x'))).toBe(UNAUTHENTICATED);
  });

  it('a connection is left that nobody is let in by, and kept otherwise', async () => {
    const address = await open({ startupSeconds: 0.3, sendSeconds: 30 });
    const known = session(address);
    const asked = (): Promise<unknown> => {
      const stream = call(known, FLIGHT_SERVICE.listActions, TOKEN);
      stream.end(EMPTY);
      return state(stream);
    };
    expect(await asked()).toBe(OK);
    const [silent, stranger] = [session(address), session(address)];
    expect(await state(call(stranger, FLIGHT_SERVICE.doGet))).toBe(UNAUTHENTICATED);
    await Promise.all([once(silent, 'close'), once(stranger, 'close')]);
    expect(await asked()).toBe(OK);
  });

  it.each([
    ['that is let in', FLIGHT_SERVICE.getFlightInfo, TOKEN],
    ['that is let in and sends on', FLIGHT_SERVICE.doPut, TOKEN],
    ['of a stranger', FLIGHT_SERVICE.handshake, undefined],
  ])('a call %s has to be sent in time', async (_, method, authorization) => {
    const by = session(await open({ startupSeconds: 30, sendSeconds: 0.3 }));
    const stream = call(by, method, authorization);
    const [end] = await Promise.all([state(stream), once(by, 'close')]);
    expect([DEADLINE_EXCEEDED, 'closed']).toContain(end);
    expect(logged).toEqual([]);
  });

  it('few strangers at once may say in a message who they are', async () => {
    const address = await open();
    const many = [session(address), session(address)];
    for (const by of many) {
      for (let some = 0; some < BOUNDS.strangers / many.length; some += 1)
        call(by, FLIGHT_SERVICE.handshake);
      await untilHeard(by);
    }
    expect(await state(call(session(address), FLIGHT_SERVICE.handshake))).toBe(RESOURCE_EXHAUSTED);
    const next = call(session(address), FLIGHT_SERVICE.listActions, TOKEN);
    next.end(EMPTY);
    expect(await state(next)).toBe(OK);
  });

  it('a call sends few messages, however small they are', async () => {
    const stream = call(session(await open()), FLIGHT_SERVICE.doPut, TOKEN);
    stream.write(Buffer.concat(Array.from({ length: BOUNDS.callMessages + 1 }, () => EMPTY)));
    expect(await state(stream)).toBe(RESOURCE_EXHAUSTED);
  });

  it('a call that ends before it is sent is not told of in the log', async () => {
    const by = session(await open());
    const impatient = { 'grpc-timeout': '50m' };
    expect(await state(call(by, FLIGHT_SERVICE.handshake, undefined, impatient))).toBe(DEADLINE_EXCEEDED); // prettier-ignore
    await untilHeard(by);
    expect(logged).toEqual([]);
  });
});
