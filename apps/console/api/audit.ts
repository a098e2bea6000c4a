import { dayEnd } from './day-end.js';
import { apiOf, requestJson } from './request.js';

export const OUTCOMES = ['done', 'refused', 'failed', 'not ours', 'lost'] as const;

export interface AuditEntry {
  readonly position: number;
  /** It is in ISO 8601 and UTC. */
  readonly occurred_at: string;
  readonly type: string;
  readonly outcome: string;
  /** It is empty if the person has been erased. */
  readonly actor: string;
  readonly subject: string;
  readonly address: string;
  readonly user_agent: string;
  readonly request_id: string;
  readonly stream: string;
  /** It is empty if the entry is about no stream. */
  readonly stream_name: string;
  readonly data: unknown;
  readonly hash: string;
}

/** A filter that is absent or empty lets every entry in. */
export interface AuditFilter {
  readonly type?: string | undefined;
  /** It is an e-mail address or an id. */
  readonly actor?: string | undefined;
  /** The name of a stream, which may be deleted. */
  readonly stream?: string | undefined;
  readonly outcome?: string | undefined;
  /** Both are days in UTC, as `2026-11-25`, and both are included. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly hash?: string | undefined;
}

export interface AuditPage {
  /** The newest comes first. */
  readonly hits: readonly AuditEntry[];
  readonly total: number;
}

const PAGE_SIZE = 100;

/**
 * Reads one page of the trail.
 * @param from how many of the newest are passed over
 */
export function readAudit(
  organization: string,
  { since, until, ...named }: AuditFilter,
  from: number,
): Promise<AuditPage> {
  const parameters = new URLSearchParams({ from: String(from), size: String(PAGE_SIZE) });
  for (const [name, value] of Object.entries(named)) if (value) parameters.set(name, value);
  const set = (name: string, microseconds: number): void => {
    if (Number.isFinite(microseconds)) parameters.set(name, String(microseconds));
  };
  if (since) set('start_time', Date.parse(since) * 1000);
  if (until) set('end_time', dayEnd(until));
  return requestJson(`${apiOf(organization)}/audit?${parameters}`);
}

export interface Verdict {
  readonly intact: boolean;
  readonly entries: number;
  /** It is the hash of the last entry. */
  readonly head: string;
  readonly problems: readonly string[];
  /** Microseconds since the epoch. */
  readonly checked_at: number;
}

/** Has the server compare the trail with its events. */
export async function verifyAudit(organization: string): Promise<Verdict> {
  const path = `${apiOf(organization)}/audit/verify`;
  return (await requestJson<{ data: Verdict }>(path, { method: 'POST' })).data;
}
