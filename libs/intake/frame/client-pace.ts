import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { MillraceError } from '@app/platform';
import type { UploadLimits } from '../upload.settings.js';
import { cutOff } from './decode-body.js';

const LOOK_MS = 1000;

interface Watched {
  readonly bodies: Set<IncomingMessage>;
  /** Milliseconds of the socket's own timer. */
  readonly onSilence: number;
}

/** A client may send its next request before the body of its last was read. */
const watched = new WeakMap<Socket, Watched>();

/**
 * Gives up on a client that sends nothing for `idleSeconds`, or that is so slow in total that it
 * would hold its place for ever. Only time in which we wait for the client counts, because it may
 * not be able to send while the server is busy.
 */
export function watchPace(
  body: IncomingMessage,
  { idleSeconds, minBytesPerSecond }: UploadLimits,
  giveUp: (failure: MillraceError) => void,
): void {
  const { socket } = body;
  if (body.destroyed) {
    // Nothing would tell the timer to end, because all events of the body have passed.
    giveUp(cutOff(new Error('the client left before its body was read')));
    return;
  }
  stopOwnTimer(socket, body);
  const before = socket.bytesRead;
  let last = before;
  let waitedMs = 0;
  let silentMs = 0;
  const look = (): void => {
    if (body.isPaused()) return;
    waitedMs += LOOK_MS;
    silentMs = socket.bytesRead === last ? silentMs + LOOK_MS : 0;
    last = socket.bytesRead;
    const earnedMs =
      minBytesPerSecond === 0 ? Infinity : ((last - before) / minBytesPerSecond) * 1000;
    if (silentMs >= idleSeconds * 1000)
      giveUp(timeout(`the body stopped for ${idleSeconds} seconds`));
    else if (waitedMs > idleSeconds * 1000 + earnedMs)
      giveUp(timeout(`the body comes slower than ${minBytesPerSecond} bytes a second`));
  };
  const timer = setInterval(look, LOOK_MS).unref();
  for (const end of ['end', 'close', 'error'])
    body.once(end, () => {
      clearInterval(timer);
      startOwnTimer(socket, body);
    });
}

/**
 * Stops the socket's own timer until its bodies have ended, because this class watches more
 * precisely.
 */
function stopOwnTimer(socket: Socket, body: IncomingMessage): void {
  const known = watched.get(socket) ?? { bodies: new Set(), onSilence: socket.timeout ?? 0 };
  watched.set(socket, known);
  known.bodies.add(body);
  socket.setTimeout(0);
}

function startOwnTimer(socket: Socket, body: IncomingMessage): void {
  const known = watched.get(socket);
  if (!known?.bodies.delete(body) || known.bodies.size > 0) return;
  watched.delete(socket);
  socket.setTimeout(known.onSilence);
}

const timeout = (what: string): MillraceError =>
  new MillraceError('UPLOAD_TIMEOUT', `${what}; nothing of it was stored; send it again`);
