import { Agent, request } from 'node:http';

export interface Asked {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: number;
  readonly requests: number;
}

export interface Load {
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
}

/** Posts a body over and over on kept-alive connections, on each as soon as it is answered. */
export async function load(asked: Asked): Promise<Load> {
  const { url, headers, body, connections, requests } = asked;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let left = requests;
  const post = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const started = performance.now();
      const sent = request(url, { method: 'POST', agent, headers }, (response) => {
        response.resume().on('end', () => {
          times.push(performance.now() - started);
          if (response.statusCode === 200 || response.statusCode === 201) resolve();
          else reject(new Error(`status ${response.statusCode}`));
        });
      });
      sent.on('error', reject).end(body);
    });
  const worker = async (): Promise<void> => {
    while (left-- > 0) await post();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: connections }, worker));
  const seconds = (performance.now() - started) / 1000;
  agent.destroy();
  return { perSecond: requests / seconds, ...spread(times) };
}

/** Finds the median and the 99th percentile of times in milliseconds. */
export function spread(times: readonly number[]): Pick<Load, 'medianMs' | 'p99Ms'> {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { medianMs: at(0.5), p99Ms: at(0.99) };
}
