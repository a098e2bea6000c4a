import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from './request.js';

interface Asked<T> {
  /**
   * It is undefined until the first answer comes. While the question is asked again, it is the
   * answer from before.
   */
  readonly answer: T | undefined;
  readonly failure: string | undefined;
  readonly isAsking: boolean;
  readonly askAgain: () => void;
}

/**
 * Asks the server a question of a page.
 * @param of says what the question is about: when that changes, it is asked anew
 */
export function useAnswer<T>(ask: () => Promise<T>, of: readonly unknown[]): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'askAgain'>>({
    answer: undefined,
    failure: undefined,
    isAsking: true,
  });
  const number = useRef(0);
  const askAgain = (): void => {
    const own = ++number.current;
    // An older answer may come after a newer one.
    const isNewest = (): boolean => own === number.current;
    setState((before) => ({ ...before, isAsking: true }));
    ask().then(
      (answer) => {
        if (isNewest()) setState({ answer, failure: undefined, isAsking: false });
      },
      (error: unknown) => {
        if (isNewest())
          setState(({ answer }) => ({ answer, failure: wordsOf(error), isAsking: false }));
      },
    );
  };
  useEffect(() => {
    askAgain();
    return () => {
      number.current += 1;
    };
  }, of);
  return { ...state, askAgain };
}
