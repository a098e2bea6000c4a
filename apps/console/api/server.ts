import { ApiFailure, request } from './request.js';

/** The node that answered says this of itself. */
interface NodeState {
  /** It says why the node is not ready, and is undefined where it is. */
  readonly notReady: string | undefined;
  /** It says of each component that the node cannot reach why it is away. */
  readonly away: Readonly<Record<string, string>>;
  /** It is Prometheus' text. */
  readonly metrics: string;
}

/**
 * Asks the node about itself.
 * @throws {ApiFailure} for somebody who is not root
 */
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
