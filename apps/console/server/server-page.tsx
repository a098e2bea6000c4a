import { useEffect, useState } from 'preact/hooks';
import { readNode } from '../api/server.js';
import { useAnswer } from '../api/use-answer.js';
import { Failure } from '../frame/failure.js';
import { factsOf, type Fact } from './facts.js';
import { readMetrics, type Sample } from './metrics-text.js';

const REFRESH_MS = 5000;

/** Shows root whether the server can do its work, and how far behind it is. */
export function ServerPage() {
  const { answer, failure, askAgain } = useAnswer(async () => {
    const node = await readNode();
    return { ...node, samples: readMetrics(node.metrics), at: new Date() };
  }, []);
  const [isFollowing, setFollowing] = useState(true);
  useEffect(() => {
    if (!isFollowing) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') askAgain();
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isFollowing]);
  return (
    <>
      <h1>Server</h1>
      <div class="bar">
        <label class="check">
          <input
            type="checkbox"
            checked={isFollowing}
            onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
          />
          Ask every five seconds
        </label>
        <button type="button" onClick={askAgain}>
          Ask now
        </button>
        {answer && (
          <span class="hint">
            As the node that answered at {answer.at.toISOString().slice(11, 19)} UTC says.
          </span>
        )}
      </div>
      <Failure words={failure} />
      {!answer && failure === undefined && <p aria-busy="true">Loading…</p>}
      {answer && (
        <>
          <p role="status">
            {answer.notReady === undefined ? (
              <strong>Ready</strong>
            ) : (
              <strong class="failed">{answer.notReady}</strong>
            )}
          </p>
          <Facts title="What it rests on" facts={componentsOf(answer.samples, answer.away)} />
          <Facts title="How far it is" facts={factsOf(answer.samples)} />
        </>
      )}
    </>
  );
}

function componentsOf(samples: readonly Sample[], away: Readonly<Record<string, string>>): Fact[] {
  return samples
    .filter(({ name }) => name === 'millrace_component_ready')
    .map(({ labels, value }) => {
      const name = labels.get('component') ?? '';
      const isReady = value > 0;
      return {
        name,
        value: isReady ? 'ready' : 'away',
        trouble: isReady ? undefined : away[name],
      };
    });
}

function Facts({ title, facts }: { readonly title: string; readonly facts: readonly Fact[] }) {
  return (
    <div class="scrolls" tabIndex={0} role="region" aria-label={title}>
      <table class="facts">
        <caption>{title}</caption>
        <tbody>
          {facts.map(({ name, value, trouble }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                {trouble === undefined ? (
                  value
                ) : (
                  <>
                    <strong class="failed">{value}</strong> {trouble}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
