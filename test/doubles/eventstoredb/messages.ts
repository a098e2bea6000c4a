import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type * as streamsTypes from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, status, type ServiceError } from '@grpc/grpc-js';
import {
  EXPECTED,
  type Appended,
  type Expected,
  type LogRecord,
  type ProposedEvent,
} from './event-log.js';

/** A node's address, as its cluster knows it. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

const TICKS_PER_MS = 10_000n;

export function readEvent(record: LogRecord): streamsTypes.ReadResp {
  const event = new streams.ReadResp.ReadEvent.RecordedEvent();
  const id = new shared.UUID();
  id.setString(record.id);
  event.setId(id);
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from(record.stream));
  event.setStreamIdentifier(stream);
  event.setStreamRevision(String(record.revision));
  event.setCommitPosition(String(record.position));
  event.setPreparePosition(String(record.position));
  event.setData(record.data);
  event.setCustomMetadata(record.metadata);
  event.getMetadataMap().set('type', record.type);
  event.getMetadataMap().set('content-type', record.contentType);
  event.getMetadataMap().set('created', String(BigInt(record.createdMs) * TICKS_PER_MS));
  const read = new streams.ReadResp.ReadEvent();
  read.setEvent(event);
  read.setCommitPosition(String(record.position));
  const answer = new streams.ReadResp();
  answer.setEvent(read);
  return answer;
}

export function streamNotFound(name: string): streamsTypes.ReadResp {
  const stream = new shared.StreamIdentifier();
  stream.setStreamName(Buffer.from(name));
  const missing = new streams.ReadResp.StreamNotFound();
  missing.setStreamIdentifier(stream);
  const answer = new streams.ReadResp();
  answer.setStreamNotFound(missing);
  return answer;
}

export function confirmation(): streamsTypes.ReadResp {
  const confirmed = new streams.ReadResp.SubscriptionConfirmation();
  confirmed.setSubscriptionId(crypto.randomUUID());
  const answer = new streams.ReadResp();
  answer.setConfirmation(confirmed);
  return answer;
}

export function checkpoint(position: bigint): streamsTypes.ReadResp {
  const reached = new streams.ReadResp.Checkpoint();
  reached.setCommitPosition(String(position));
  reached.setPreparePosition(String(position));
  const answer = new streams.ReadResp();
  answer.setCheckpoint(reached);
  return answer;
}

export function appendAnswer(appended: Appended, expected: Expected): streamsTypes.AppendResp {
  const answer = new streams.AppendResp();
  if ('current' in appended) {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (appended.current < 0) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(String(appended.current));
    if (expected === EXPECTED.noStream) wrong.setExpectedNoStream(new shared.Empty());
    else if (expected === EXPECTED.streamExists) wrong.setExpectedStreamExists(new shared.Empty());
    else wrong.setExpectedRevision(String(expected));
    answer.setWrongExpectedVersion(wrong);
    return answer;
  }
  const success = new streams.AppendResp.Success();
  success.setCurrentRevision(String(appended.revision));
  if (appended.position === undefined) success.setNoPosition(new shared.Empty());
  else {
    const position = new streams.AppendResp.Position();
    position.setCommitPosition(String(appended.position));
    position.setPreparePosition(String(appended.position));
    success.setPosition(position);
  }
  answer.setSuccess(success);
  return answer;
}

export function proposed(message: streamsTypes.AppendReq.ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  return {
    id: message.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function expectedOf(options: streamsTypes.AppendReq.Options): Expected {
  if (options.hasAny()) return EXPECTED.any;
  if (options.hasNoStream()) return EXPECTED.noStream;
  if (options.hasStreamExists()) return EXPECTED.streamExists;
  return Number(options.getRevision());
}

export function clusterInfo(
  members: readonly { address: Address; leads: boolean; alive: boolean }[],
) {
  const { MemberInfo, EndPoint, ClusterInfo } = gossip;
  const info = new ClusterInfo();
  for (const { address, leads, alive } of members) {
    const endPoint = new EndPoint();
    endPoint.setAddress(address.host);
    endPoint.setPort(address.port);
    const member = new MemberInfo();
    member.setHttpEndPoint(endPoint);
    member.setIsAlive(alive);
    const { LEADER, FOLLOWER } = MemberInfo.VNodeState;
    member.setState(leads ? LEADER : FOLLOWER);
    info.addMembers(member);
  }
  return info;
}

/** A failure as the server tells it: a status, and which exception it was in the trailers. */
export function failure(
  code: status,
  exception: string,
  trailers: Readonly<Record<string, string>> = {},
): Partial<ServiceError> {
  const metadata = new Metadata();
  metadata.set('exception', exception);
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return { code, details: exception, metadata };
}

export const notLeader = ({ host, port }: Address): Partial<ServiceError> =>
  failure(status.NOT_FOUND, 'not-leader', {
    'leader-endpoint-host': host,
    'leader-endpoint-port': String(port),
  });
