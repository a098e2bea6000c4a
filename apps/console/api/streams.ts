import { apiOf, requestJson } from './request.js';

/** A stream as the API lists it. */
export interface StreamRecord {
  readonly name: string;
  readonly stats: {
    readonly doc_num: number;
    /** Microseconds since the epoch; 0 or null without records. */
    readonly doc_time_min: number | null;
    readonly doc_time_max: number | null;
    /** Bytes, before compression. */
    readonly storage_size: number;
  };
}

/** Those that there are; a page lists a thousand. */
export async function readStreams(organization: string): Promise<readonly StreamRecord[]> {
  const { list } = await requestJson<{ list: readonly StreamRecord[] }>(
    `${apiOf(organization)}/streams?limit=1000`,
  );
  return list;
}

export interface Rejected {
  readonly _timestamp: string;
  readonly upload_id: string;
  readonly line: number;
  readonly reason: string;
  readonly record: string;
}

/** Of the newest upload that had any: what was rejected, at most a hundred records. */
export async function readRejected(
  organization: string,
  stream: string,
): Promise<readonly Rejected[]> {
  const path = `${apiOf(organization)}/${encodeURIComponent(stream)}/_rejected?size=100`;
  const all = await requestJson<readonly Rejected[]>(path);
  return all.filter(({ upload_id: id }) => id === all[0]?.upload_id);
}
