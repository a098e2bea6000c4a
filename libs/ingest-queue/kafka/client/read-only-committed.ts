import { checkedBroker, installedInternals } from './client-contract.js';
import { hideAborted } from './committed-reads.js';

let installing: Promise<void> | undefined;

/**
 * Lets every consumer of this process see only what was committed.
 * @throws {UnknownClientError} when the installed client differs from the one whose internals are
 *   known
 */
export function readOnlyCommitted(): Promise<void> {
  installing ??= install();
  return installing;
}

async function install(): Promise<void> {
  const { prototype } = await checkedBroker(await installedInternals());
  const { fetch } = prototype;
  prototype.fetch = async function (...options) {
    const answer = await fetch.apply(this, options);
    hideAborted(answer);
    return answer;
  };
}
