import { apiOf, request, requestJson } from './request.js';

/** People set this about a stream. */
export interface StreamSettings {
  /** It is a number of days; 0 keeps all records. */
  readonly data_retention: number;
  readonly full_text_search_keys: readonly string[];
  readonly partition_keys: readonly string[];
}

/** A stream as the API lists it. */
export interface StreamRecord {
  readonly name: string;
  readonly stats: {
    readonly doc_num: number;
    /** It is in microseconds since the epoch, and 0 or null without records. */
    readonly doc_time_min: number | null;
    readonly doc_time_max: number | null;
    /** It is in MB of 1,048,576 bytes, before compression. */
    readonly storage_size: number;
  };
  readonly settings: StreamSettings;
}

const pathOf = (organization: string, stream: string): string =>
  `${apiOf(organization)}/${encodeURIComponent(stream)}`;

/** Reads the streams, a thousand of them at most. */
export async function readStreams(organization: string): Promise<readonly StreamRecord[]> {
  const { list } = await requestJson<{ list: readonly StreamRecord[] }>(
    `${apiOf(organization)}/streams?limit=1000`,
  );
  return list;
}

type Change = Partial<StreamSettings> & {
  /** Each field has a type, by Arrow's name. */
  readonly columns?: Readonly<Record<string, string>>;
};

/** Changes settings; those that are absent stay as they are. */
export async function changeSettings(
  organization: string,
  stream: string,
  change: Change,
): Promise<void> {
  const body = JSON.stringify(change);
  await request(`${pathOf(organization, stream)}/settings`, { method: 'POST', body });
}

export async function deleteStream(organization: string, stream: string): Promise<void> {
  const path = `${apiOf(organization)}/streams/${encodeURIComponent(stream)}`;
  await request(path, { method: 'DELETE' });
}

export interface Rejected {
  readonly _timestamp: string;
  readonly upload_id: string;
  readonly line: number;
  readonly reason: string;
  readonly record: string;
}

/** Reads the rejected records of the newest upload that had any, a hundred at most. */
export async function readRejected(
  organization: string,
  stream: string,
): Promise<readonly Rejected[]> {
  const path = `${pathOf(organization, stream)}/_rejected?size=100`;
  const all = await requestJson<readonly Rejected[]>(path);
  return all.filter(({ upload_id: id }) => id === all[0]?.upload_id);
}

export interface Retried {
  /** This many records have moved into the stream. */
  readonly successful: number;
  /** This many records are rejected as before. */
  readonly failed: number;
  /** It says why the first of those is rejected. */
  readonly error?: string;
}

/** Tries all that is rejected of a stream again; what fits by now can be queried then. */
export async function retryRejected(organization: string, stream: string): Promise<Retried> {
  const path = `${pathOf(organization, stream)}/_rejected/retry?wait=true`;
  const { status } = await requestJson<{ status: readonly [Retried] }>(path, { method: 'POST' });
  return status[0];
}
