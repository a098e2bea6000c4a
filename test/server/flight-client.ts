import {
  Client,
  credentials,
  Metadata,
  type ChannelOptions,
  type ServiceError,
} from '@grpc/grpc-js';
import { tableFromIPC, type Table } from 'apache-arrow';
import { encapsulated } from '../../libs/flight-sql/ipc/ipc-messages.js';
import { writeAny } from '../../libs/flight-sql/protocol/commands.js';
import {
  Action,
  FlightData,
  FlightDescriptor,
  FlightInfo,
  PutResult,
  Result,
  Ticket,
} from '../../libs/flight-sql/protocol/flight-messages.js';
import { FLIGHT_SERVICE } from '../../libs/flight-sql/protocol/flight-service.js';
import {
  Any,
  CommandStatementQuery,
  CreatePreparedStatementRequest,
  CreatePreparedStatementResult,
} from '../../libs/flight-sql/protocol/sql-messages.js';
import type { Edge } from './start-edge.js';

/** Clients of Arrow Flight SQL ask here, as the edge program says. */
export const flightAddress = (edge: Edge): string =>
  /clients of Arrow Flight SQL: grpc:\/\/(\S+)/.exec(edge.output())?.[1] ?? '';

const BY_COMMAND = 2;

type Method = (typeof FLIGHT_SERVICE)[keyof typeof FLIGHT_SERVICE];

/** A call that ended otherwise than well: its state, and what was said. */
export interface CallEnd {
  readonly code: number;
  readonly details: string;
}

export const callEnd = (error: unknown): CallEnd => {
  const { code, details } = error as ServiceError;
  return { code, details };
};

/** A client of Flight, made by gRPC's own library. The caller closes it. */
export class FlightClient {
  readonly grpc: Client;
  readonly metadata = new Metadata();

  constructor(edge: Edge, options: ChannelOptions = {}, authorization?: string) {
    this.grpc = new Client(flightAddress(edge), credentials.createInsecure(), options);
    if (authorization !== undefined) this.metadata.set('authorization', authorization);
  }

  close(): void {
    this.grpc.close();
  }

  unary({ path, requestSerialize, responseDeserialize }: Method, request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.grpc.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.metadata,
        (error, answer) =>
          // prettier-ignore
          error || !answer ? reject(error ?? new Error('no answer')) : resolve(answer),
      );
    });
  }

  stream({ path, requestSerialize, responseDeserialize }: Method, request: Buffer) {
    return this.grpc.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, this.metadata); // prettier-ignore
  }

  conversation({ path, requestSerialize, responseDeserialize }: Method) {
    return this.grpc.makeBidiStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      this.metadata,
    );
  }

  async info(name: string, command: Buffer) {
    const descriptor = { type: BY_COMMAND, command: writeAny(name, command) };
    return FlightInfo.decode(
      await this.unary(FLIGHT_SERVICE.getFlightInfo, FlightDescriptor.encode(descriptor)),
    );
  }

  /** All messages of an answer. */
  async messages(method: Method, request: Buffer): Promise<Buffer[]> {
    const messages: Buffer[] = [];
    for await (const message of this.stream(method, request)) messages.push(message as Buffer);
    return messages;
  }

  async get(ticket: Buffer): Promise<{ readonly table: Table; readonly sizes: readonly number[] }> {
    const messages = await this.messages(FLIGHT_SERVICE.doGet, Ticket.encode({ ticket }));
    const stream = messages.map((message) => encapsulated(FlightData.decode(message)));
    return {
      table: tableFromIPC(Buffer.concat(stream)),
      sizes: messages.map(({ length }) => length),
    };
  }

  /** Asks for a flight, and takes it. */
  async ask(name: string, command: Buffer): Promise<Table> {
    const { endpoints } = await this.info(name, command);
    const { table } = await this.get(endpoints[0]?.ticket?.ticket ?? Buffer.alloc(0));
    return table;
  }

  sql(query: string): Promise<Table> {
    return this.ask('CommandStatementQuery', CommandStatementQuery.encode({ query }));
  }

  async act(type: string, name: string, body: Buffer): Promise<Buffer[]> {
    const request = Action.encode({ type, body: writeAny(name, body) });
    const results = await this.messages(FLIGHT_SERVICE.doAction, request);
    return results.map((result) => Any.decode(Result.decode(result).body).value);
  }

  async prepare(query: string) {
    const request = CreatePreparedStatementRequest.encode({ query });
    const [prepared] = await this.act('CreatePreparedStatement', 'ActionCreatePreparedStatementRequest', request); // prettier-ignore
    return CreatePreparedStatementResult.decode(prepared ?? Buffer.alloc(0));
  }

  /** Sends messages by `DoPut`. @returns what came back */
  async put(messages: readonly Buffer[]): Promise<Buffer[]> {
    const call = this.conversation(FLIGHT_SERVICE.doPut);
    for (const message of messages) call.write(message);
    call.end();
    const results: Buffer[] = [];
    for await (const result of call) results.push(PutResult.decode(result as Buffer).appMetadata);
    return results;
  }
}
