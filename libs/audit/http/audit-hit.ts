import type { AuditRow } from '@app/warehouse';
import type { NamedAuditRow } from '../audit-pages.js';

/** An entry as clients see it, without its data. */
export interface AuditHit {
  readonly position: number;
  readonly occurred_at: string;
  readonly type: string;
  readonly outcome: AuditRow['outcome'];
  readonly actor: string;
  readonly subject: string;
  readonly address: string;
  readonly user_agent: string;
  readonly request_id: string;
  readonly stream: string;
  /** The name of the stream that it is about, which may be deleted; empty if there is none. */
  readonly stream_name: string;
  readonly hash: string;
}

export const toHit = (row: NamedAuditRow): AuditHit => ({
  position: Number(row.position),
  occurred_at: row.occurredAt,
  type: row.type,
  outcome: row.outcome,
  actor: row.actor,
  subject: row.subject,
  address: row.address,
  user_agent: row.userAgent,
  request_id: row.requestId,
  stream: row.stream,
  stream_name: row.streamName,
  hash: row.hash,
});
