import { ApiFailure, request } from './request.js';

/** What the node that answered says of itself. */
interface NodeState {
  /** Undefined: it is ready; else why it is not. */
  readonly notReady: string | undefined;
  /** Why each part that it cannot reach is away. */
  readonly away: Readonly<Record<string, string>>;
  /** Prometheus' text. */
  readonly metrics: string;
}

/** @throws {ApiFailure} for who is not root */
export async function readNode(): Promise<NodeState> {
  const [readiness, metrics] = await Promise.all([readReadiness(), readMetricsText()]);
  return { ...readiness, metrics };
}

async function readReadiness(): Promise<Pick<NodeState, 'notReady' | 'away'>> {
  try {
    const answer = await request('/readyz');
    const { away = {} } = (await answer.json()) as Partial<Pick<NodeState, 'away'>>;
    return { notReady: undefined, away };
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 503)
      return { notReady: error.message, away: {} };
    throw error;
  }
}

async function readMetricsText(): Promise<string> {
  return (await request('/metrics', { accept: 'text/plain' })).text();
}
