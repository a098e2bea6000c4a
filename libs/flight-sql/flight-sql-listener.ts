import { createServer, type Server as NetServer, type Socket } from 'node:net';
import type { Server } from '@grpc/grpc-js';
import { listen, type ListenAddress } from '@app/http';
import type { Logger } from '@app/platform';
import { BOUNDS } from './flight-sql-bounds.js';
import type { FlightSqlDoor } from './flight-sql-door.js';
import { FLIGHT_SERVICE } from './protocol/flight-service.js';
import { Admission } from './session/admission.js';
import { Calls } from './session/calls.js';
import { FlightHandlers } from './session/flight-handlers.js';
import { Questions, type Answerers } from './session/questions.js';

const KEEPALIVE_MS = 60_000;

const OPTIONS = {
  'grpc.max_receive_message_length': BOUNDS.messageBytes,
  // One large row is a message of any size.
  'grpc.max_send_message_length': -1,
  'grpc.max_concurrent_streams': BOUNDS.callsOfConnection,
  'grpc.max_connection_idle_ms': BOUNDS.idleSeconds * 1000,
  'grpc.max_connection_age_ms': BOUNDS.ageSeconds * 1000,
  'grpc.max_connection_age_grace_ms': BOUNDS.ageSeconds * 1000,
  'grpc.keepalive_time_ms': KEEPALIVE_MS,
  'grpc.enable_channelz': 0,
} as const;

/** An address at which clients of Arrow Flight SQL ask. */
export class FlightSqlListener {
  /** It is found by the address and port of the client, each with what ends it unless a call of it is let in. */
  private readonly sockets = new Map<string, { readonly socket: Socket; readonly late: NodeJS.Timeout }>(); // prettier-ignore
  private listening: NetServer | undefined;
  private grpc: Server | undefined;

  constructor(
    private readonly answerers: Answerers,
    private readonly door: FlightSqlDoor,
    private readonly logger: Logger,
    private readonly waits: { readonly startupSeconds: number; readonly sendSeconds: number } = BOUNDS, // prettier-ignore
  ) {}

  /** @throws when the address is taken. @returns its address for people */
  async open(address: ListenAddress): Promise<string> {
    const library = await import('@grpc/grpc-js');
    const { Metadata, Server, ServerCredentials } = library;
    const calls = new Calls(this.door, this.logger);
    const connections = {
      admitted: (peer: string) => clearTimeout(this.sockets.get(peer)?.late),
      hangUp: (peer: string) => void this.sockets.get(peer)?.socket.destroy(),
    };
    const { interceptor } = new Admission(library, calls, connections, this.waits.sendSeconds);
    const grpc = new Server({ ...OPTIONS, interceptors: [interceptor] });
    const handlers = new FlightHandlers(
      calls,
      new Questions(this.answerers),
      () => new Metadata(),
      connections.hangUp,
    );
    grpc.addService(FLIGHT_SERVICE, handlers.all());
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    const listening = createServer((socket) => {
      if (this.sockets.size >= BOUNDS.connections) return void socket.destroy();
      this.keep(socket);
      injector.injectConnection(socket);
    });
    const { authority } = await listen(listening, address);
    [this.listening, this.grpc] = [listening, grpc];
    return `grpc://${authority}`;
  }

  /** Calls that run are cut off. */
  async close(): Promise<void> {
    const { listening } = this;
    const closed = listening && new Promise((resolve) => listening.close(resolve));
    this.grpc?.forceShutdown();
    for (const { socket } of this.sockets.values()) socket.destroy();
    await closed;
  }

  private keep(socket: Socket): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    const late = setTimeout(() => socket.destroy(), this.waits.startupSeconds * 1000).unref();
    this.sockets.set(peer, { socket, late });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearTimeout(late);
      if (this.sockets.get(peer)?.socket === socket) this.sockets.delete(peer);
    });
  }
}
