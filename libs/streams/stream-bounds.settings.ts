import { positive } from '@app/settings';

/** Token of the configured bounds. */
export const STREAM_BOUNDS = Symbol('StreamBounds');

/** The bounds of one organization. Root makes streams beyond them. */
export interface StreamBounds {
  /** The most streams of one organization. */
  readonly streams: number;
}

export const streamVariables = { MILLRACE_ORG_STREAMS: positive(1000) };

type Values = Readonly<Record<keyof typeof streamVariables, number>>;

export const streamBounds = (values: Values): StreamBounds => ({
  streams: values.MILLRACE_ORG_STREAMS,
});
