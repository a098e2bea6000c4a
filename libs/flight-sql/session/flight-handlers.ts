import type { handleServerStreamingCall, handleUnaryCall, Metadata, ServerDuplexStream } from '@grpc/grpc-js'; // prettier-ignore
import { MillraceError } from '@app/platform';
import { readAny, readQuestion, writeAny, type Question } from '../protocol/commands.js';
import { writeFlightData } from '../protocol/flight-data.js';
import {
  Action,
  ActionType,
  BasicAuth,
  BY_COMMAND,
  FlightDescriptor,
  FlightInfo,
  HandshakeRequest,
  HandshakeResponse,
  PutResult,
  Result,
  SchemaResult,
  Ticket,
  UNKNOWN_SIZE,
} from '../protocol/flight-messages.js';
import { TicketStatementQuery } from '../protocol/sql-messages.js';
import type { FLIGHT_SERVICE } from '../protocol/flight-service.js';
import { writeHandle } from '../statements/prepared-handle.js';
import { authorizationOf, type Caller, type Calls, type StreamCall } from './calls.js';
import { bind, prepare } from './prepare.js';
import type { Questions } from './questions.js';
import { NotTakenError, receivedMessages, sendMessages, taken } from './stream-messages.js';

type Work<Answer> = (request: Buffer, caller: Caller) => Promise<Answer>;
type Handlers = Readonly<
  Record<
    keyof typeof FLIGHT_SERVICE,
    | handleUnaryCall<Buffer, Buffer>
    | handleServerStreamingCall<Buffer, Buffer>
    | ((call: ServerDuplexStream<Buffer, Buffer>) => void)
  >
>;

const CREATE = 'CreatePreparedStatement';
const CLOSE = 'ClosePreparedStatement';

/** Answers the calls of Flight. */
export class FlightHandlers {
  constructor(
    private readonly calls: Calls,
    private readonly questions: Questions,
    private readonly newMetadata: () => Metadata,
    /** Ends the connection of an address and port. */
    private readonly hangUp: (peer: string) => void,
  ) {}

  all(): Handlers {
    return {
      handshake: this.conversation((call) => this.handshake(call)),
      listFlights: this.streaming(() => Promise.resolve(each([]))),
      getFlightInfo: this.unary((request, caller) => this.flightInfo(request, caller)),
      getSchema: this.unary(async (request, caller) => {
        const { question } = questionOf(request);
        return SchemaResult.encode({ schema: await this.questions.schema(question, caller) });
      }),
      doGet: this.streaming((request, caller) => this.rows(request, caller)),
      doPut: this.conversation((call) => this.put(call)),
      doAction: this.streaming(async (request, caller) => each(await this.act(request, caller))),
      listActions: this.streaming(() =>
        Promise.resolve(each([CREATE, CLOSE].map((type) => ActionType.encode({ type })))),
      ),
    };
  }

  private async flightInfo(request: Buffer, caller: Caller): Promise<Buffer> {
    const { question, command } = questionOf(request);
    const schema = await this.questions.schema(question, caller);
    return FlightInfo.encode({
      schema,
      descriptor: FlightDescriptor.decode(request),
      endpoints: [{ ticket: { ticket: ticketOf(question, command) } }],
      totalRecords: UNKNOWN_SIZE,
      totalBytes: UNKNOWN_SIZE,
    });
  }

  private async rows(request: Buffer, caller: Caller): Promise<AsyncIterable<Buffer>> {
    const question = readQuestion(Ticket.decode(request).ticket);
    const messages = await this.questions.messages(question, caller);
    return (async function* () {
      for await (const message of messages) yield writeFlightData(message);
    })();
  }

  private async act(request: Buffer, caller: Caller): Promise<readonly Buffer[]> {
    const { type, body } = Action.decode(request);
    // A handle is held by the client alone.
    if (type === CLOSE) return [];
    if (type !== CREATE)
      throw new MillraceError(
        'ROUTE_NOT_FOUND',
        `there is no action ${JSON.stringify(type.slice(0, 80))} here; there are ${CREATE} and ${CLOSE}`,
      );
    const prepared = await prepare(readAny(body).value, this.questions, caller);
    return [Result.encode({ body: writeAny('ActionCreatePreparedStatementResult', prepared) })];
  }

  private put(call: ServerDuplexStream<Buffer, Buffer>): Promise<void> {
    return this.calls.run(call, async ({ signal }) => {
      const sent = await receivedMessages(call);
      await taken(call, PutResult.encode({ appMetadata: bind(sent, readQuestion) }), signal);
    });
  }

  /** Clients that show who they are in a header wait for the answer's header before they send anything. */
  private async handshake(call: ServerDuplexStream<Buffer, Buffer>): Promise<void> {
    const shown = authorizationOf(call.metadata);
    const [first] = shown === undefined ? await receivedMessages(call, 1) : [];
    const authorization = shown ?? (first && basicOf(first));
    await this.calls.run(
      call,
      async ({ bearer, signal }) => {
        const metadata = this.newMetadata();
        metadata.set('authorization', `Bearer ${bearer}`);
        call.sendMetadata(metadata);
        if (first) await taken(call, HandshakeResponse.encode({ payload: Buffer.from(bearer) }), signal); // prettier-ignore
      },
      authorization,
    );
  }

  private unary(work: Work<Buffer>): handleUnaryCall<Buffer, Buffer> {
    return (call, callback) => {
      this.calls
        .run(call, (caller) => work(call.request, caller))
        .then(
          (answer) => callback(null, answer),
          (error: unknown) => call.cancelled || callback(this.calls.failure(error)),
        );
    };
  }

  private streaming(work: Work<AsyncIterable<Buffer>>): handleServerStreamingCall<Buffer, Buffer> {
    return (call) =>
      this.toItsEnd(call, () =>
        this.calls.run(call, async (caller) =>
          sendMessages(call, await work(call.request, caller), caller.signal),
        ),
      );
  }

  private conversation(
    work: (call: ServerDuplexStream<Buffer, Buffer>) => Promise<void>,
  ): (call: ServerDuplexStream<Buffer, Buffer>) => void {
    return (call) => this.toItsEnd(call, () => work(call));
  }

  private toItsEnd(call: StreamCall, work: () => Promise<void>): void {
    work().then(
      () => call.end(),
      (error: unknown) => {
        // A call whose client has left ends with an error that is no failure, and nobody is there to be told.
        if (!call.cancelled && !call.destroyed) call.emit('error', this.calls.failure(error));
        if (error instanceof NotTakenError) this.hangUp(call.getPeer());
      },
    );
  }
}

/** @throws {MillraceError} INVALID_PARAMETER */
function questionOf(descriptor: Buffer): { readonly question: Question; readonly command: Buffer } {
  const { type, command } = FlightDescriptor.decode(descriptor);
  if (type === BY_COMMAND) return { question: readQuestion(command), command };
  throw new MillraceError(
    'INVALID_PARAMETER',
    'flights have no paths here; send a command of Flight SQL',
  );
}

/** The ticket says all that is asked for, and is good as long as the tables are there. */
function ticketOf(question: Question, command: Buffer): Buffer {
  if (question.name !== 'CommandStatementQuery') return command;
  const handle = writeHandle({ sql: question.value.query, values: [] });
  return writeAny('TicketStatementQuery', TicketStatementQuery.encode({ handle }));
}

function basicOf(message: Buffer): string | undefined {
  const { payload } = HandshakeRequest.decode(message);
  if (payload.length === 0) return undefined;
  const { username, password } = BasicAuth.decode(payload);
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function* each(messages: readonly Buffer[]): AsyncGenerator<Buffer> {
  for (const message of messages) yield await Promise.resolve(message);
}
