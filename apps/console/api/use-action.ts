import { useState } from 'preact/hooks';
import { wordsOf } from './request.js';

interface Action {
  readonly isBusy: boolean;
  readonly failure: string | undefined;
  /** It says in words what has been done. */
  readonly done: string | undefined;
  /**
   * Begins an action, unless another one runs.
   * @param act tells in words what it has done
   */
  readonly run: (act: () => Promise<string | undefined>) => void;
}

/** A page does something that somebody wants, and shows what became of it. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [said, setSaid] = useState<Pick<Action, 'failure' | 'done'>>({
    failure: undefined,
    done: undefined,
  });
  const run = (act: () => Promise<string | undefined>): void => {
    if (isBusy) return;
    setBusy(true);
    setSaid({ failure: undefined, done: undefined });
    act()
      .then(
        (done) => setSaid({ failure: undefined, done }),
        (error: unknown) => setSaid({ failure: wordsOf(error), done: undefined }),
      )
      .finally(() => setBusy(false));
  };
  return { isBusy, ...said, run };
}

interface Change {
  readonly change: Action;
  /** Does something, reports it, and requests the shown data again. */
  readonly then: (act: () => Promise<void>, done: string) => void;
}

/**
 * Somebody changes something of a list.
 * @param onChanged is also called where it was refused: what is shown is what there is
 */
export function useChange(onChanged: () => void): Change {
  const change = useAction();
  const then = (act: () => Promise<void>, done: string): void =>
    change.run(async () => {
      try {
        await act();
        return done;
      } finally {
        onChanged();
      }
    });
  return { change, then };
}
