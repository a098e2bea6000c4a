import { once } from 'node:events';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type * as streamsTypes from '@eventstore/db-client/generated/streams_pb.js';
import {
  Server,
  ServerCredentials,
  status,
  type sendUnaryData,
  type ServerReadableStream,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import { freePort } from '../../server/free-port.mjs';
import { EventLog, type LogRecord, type ProposedEvent } from './event-log.js';
import {
  appendAnswer,
  checkpoint,
  clusterInfo,
  confirmation,
  expectedOf,
  failure,
  notLeader,
  proposed,
  readEvent,
  streamNotFound,
  type Address,
} from './messages.js';

type Reading = ServerWritableStream<streamsTypes.ReadReq, streamsTypes.ReadResp>;
type Appending = ServerReadableStream<streamsTypes.AppendReq, streamsTypes.AppendResp>;

const HOST = '127.0.0.1';
const MAX_APPEND_BYTES = 1024 * 1024;
const { BACKWARDS } = streams.ReadReq.Options.ReadDirection;

/**
 * A node of an EventStoreDB cluster, on the wire: a test double. It speaks the protocol that the
 * client package brings with it, over real connections, so that the client meets what it meets in
 * the field; what it stores is in memory. It can have the faults of a real cluster.
 */
export class EventStoreDbDouble {
  private server: Server | undefined;
  private leader: EventStoreDbDouble | undefined;
  private held: (() => void)[] | undefined;
  private loseAnswers = 0;
  private given = 0;
  private cluster: readonly EventStoreDbDouble[] = [this];

  private constructor(
    readonly log: EventLog,
    readonly address: Address,
  ) {}

  static async start(log = new EventLog()): Promise<EventStoreDbDouble> {
    const server = new Server();
    const port = await bind(server, await freePort());
    const double = new EventStoreDbDouble(log, { host: HOST, port });
    double.serve(server);
    return double;
  }

  /** Nodes with one log; the first leads. */
  static async startCluster(size: number): Promise<EventStoreDbDouble[]> {
    const log = new EventLog();
    const nodes = await Promise.all(
      Array.from({ length: size }, () => EventStoreDbDouble.start(log)),
    );
    for (const node of nodes) node.cluster = nodes;
    nodes[0]?.lead();
    return nodes;
  }

  /** A client gets this address: of this node alone, or of all nodes of its cluster. */
  get url(): string {
    const hosts = this.cluster.map(({ address: { host, port } }) => `${host}:${port}`);
    return `esdb://${hosts.join(',')}?tls=false`;
  }

  /** All events that were sent to readers and followers, events of other writers included. */
  get sent(): number {
    return this.given;
  }

  /** From now on the other nodes of the cluster follow this one. */
  lead(): void {
    for (const node of this.cluster) node.leader = node === this ? undefined : this;
  }

  /** Every connection breaks, and none is taken until `resume`. */
  async stop(): Promise<void> {
    this.server?.forceShutdown();
    this.server = undefined;
    await Promise.resolve();
  }

  async resume(): Promise<void> {
    const server = new Server();
    await bind(server, this.address.port);
    this.serve(server);
  }

  /** Breaks every connection; new ones are accepted. */
  async dropConnections(): Promise<void> {
    await this.stop();
    await this.resume();
  }

  /**
   * From now on the node receives requests, but neither carries them out nor answers them until
   * `release`.
   */
  hold(): void {
    this.held ??= [];
  }

  release(): void {
    const held = this.held ?? [];
    this.held = undefined;
    for (const go of held) go();
  }

  /** The next appends are stored, and the connection breaks before they are answered. */
  loseNextAnswers(count: number): void {
    this.loseAnswers = count;
  }

  private serve(server: Server): void {
    this.server = server;
    server.addService(streamsService.StreamsService, {
      read: (call: Reading) => void this.read(call),
      append: (call: Appending, answer: sendUnaryData<streamsTypes.AppendResp>) =>
        void this.append(call, answer),
    });
    server.addService(gossipService.GossipService, {
      read: (_: unknown, answer: sendUnaryData<unknown>) =>
        answer(
          null,
          clusterInfo(
            this.cluster.map((node) => ({
              address: node.address,
              leads: node.leader === undefined,
              alive: node.server !== undefined,
            })),
          ),
        ),
    });
    server.addService(featuresService.ServerFeaturesService, {
      getSupportedMethods: (_: unknown, answer: sendUnaryData<unknown>) =>
        answer(null, supported()),
    });
  }

  /** Tells whether the call may go on here; a client that wants the leader is told who it is. */
  private async admit(call: Reading | Appending): Promise<boolean> {
    if (this.held) await new Promise<void>((resolve) => this.held?.push(resolve));
    const wantsLeader = call.metadata.get('requires-leader')[0] === 'true';
    if (!this.leader || !wantsLeader) return true;
    call.emit('error', notLeader(this.leader.address));
    return false;
  }

  private async append(
    call: Appending,
    answer: sendUnaryData<streamsTypes.AppendResp>,
  ): Promise<void> {
    let options: streamsTypes.AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    call.on('data', (part: streamsTypes.AppendReq) => {
      options ??= part.getOptions();
      const message = part.getProposedMessage();
      if (message) events.push(proposed(message));
    });
    call.on('error', () => undefined);
    await once(call, 'end');
    // A client that has given up in the middle: nothing of it is stored.
    if (call.cancelled) return;
    if (this.held) await new Promise<void>((resolve) => this.held?.push(resolve));
    if (this.leader && call.metadata.get('requires-leader')[0] === 'true')
      return answer(notLeader(this.leader.address));
    const size = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
    if (size > MAX_APPEND_BYTES) {
      const limit = { 'maximum-append-size': String(MAX_APPEND_BYTES) };
      return answer(failure(status.INVALID_ARGUMENT, 'maximum-append-size-exceeded', limit));
    }
    if (!options) return answer(failure(status.INVALID_ARGUMENT, 'no options'));
    const name = Buffer.from(options.getStreamIdentifier()?.getStreamName_asU8() ?? '').toString();
    const expected = expectedOf(options);
    const appended = this.log.append(name, events, expected);
    if (this.loseAnswers > 0) {
      this.loseAnswers -= 1;
      return this.dropConnections();
    }
    answer(null, appendAnswer(appended, expected));
  }

  private async read(call: Reading): Promise<void> {
    call.on('error', () => undefined);
    if (!(await this.admit(call))) return;
    const options = call.request.getOptions();
    const all = options?.getAll();
    try {
      if (!options || !all) return await this.readStream(call);
      const backward = options.getReadDirection() === BACKWARDS;
      const given = all.getPosition()?.getCommitPosition();
      const from =
        given !== undefined ? this.log.indexAt(BigInt(given)) : all.hasEnd() ? this.log.size : 0;
      if (options.hasSubscription()) await this.follow(call, given === undefined ? from : from + 1);
      else this.given += await send(call, this.records(from, backward), Number(options.getCount()));
      call.end();
    } catch (error) {
      call.emit('error', failure(status.UNKNOWN, String(error)));
    }
  }

  private async readStream(call: Reading): Promise<void> {
    const options = call.request.getOptions();
    const stream = options?.getStream();
    const name = Buffer.from(stream?.getStreamIdentifier()?.getStreamName_asU8() ?? '').toString();
    const stored = this.log.stream(name);
    if (!stored) call.write(streamNotFound(name));
    else {
      const backward = options?.getReadDirection() === BACKWARDS;
      const revision = stream?.hasRevision() ? Number(stream.getRevision()) : undefined;
      const found = backward
        ? stored.slice(0, (revision ?? stored.length) + 1).reverse()
        : stored.slice(revision ?? 0);
      this.given += await send(call, found, Number(options?.getCount()));
    }
    call.end();
  }

  private *records(from: number, backward: boolean): Iterable<LogRecord> {
    // Backward the record that begins at the position is not given, forward it is.
    for (let index = backward ? from - 1 : from; ; index += backward ? -1 : 1) {
      const record = this.log.record(index);
      if (!record) return;
      yield record;
    }
  }

  private async follow(call: Reading, from: number): Promise<void> {
    const prefixes = call.request.getOptions()?.getFilter()?.getStreamIdentifier()?.getPrefixList();
    call.write(confirmation());
    for (let index = from; !call.cancelled && !call.destroyed;) {
      const record = this.log.record(index);
      if (!record) {
        await this.appendedOrLeft(call, index);
        continue;
      }
      index += 1;
      if (this.held) await new Promise<void>((resolve) => this.held?.push(resolve));
      const wanted = !prefixes || prefixes.some((prefix) => record.stream.startsWith(prefix));
      const message = wanted ? readEvent(record) : checkpoint(record.position);
      this.given += wanted ? 1 : 0;
      if (!call.write(message)) await drained(call);
    }
  }

  private async appendedOrLeft(call: Reading, index: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const forget = this.log.onAppended(() => leave());
      const leave = (): void => {
        forget();
        call.off('cancelled', leave).off('close', leave);
        resolve();
      };
      call.on('cancelled', leave).on('close', leave);
      if (this.log.record(index)) leave();
    });
  }
}

/** @returns how many were sent */
async function send(call: Reading, records: Iterable<LogRecord>, count: number): Promise<number> {
  let sent = 0;
  for (const record of records) {
    if (sent >= count || call.cancelled) break;
    sent += 1;
    if (!call.write(readEvent(record))) await drained(call);
  }
  return sent;
}

async function drained(call: Reading): Promise<void> {
  const one = new AbortController();
  const { signal } = one;
  const events = ['drain', 'cancelled', 'close'].map((name) => once(call, name, { signal }));
  await Promise.race(events.map((event) => event.catch(() => undefined)));
  one.abort();
}

/** It says that it takes batched appends, as servers do, and it does not: nobody may use them. */
function supported() {
  const method = new features.SupportedMethod();
  method.setServiceName('event_store.client.streams.streams');
  method.setMethodName('batchappend');
  const methods = new features.SupportedMethods();
  methods.setEventStoreServerVersion('23.10.0');
  methods.addMethods(method);
  return methods;
}

function bind(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) =>
    server.bindAsync(`${HOST}:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
}
