import { useEffect, useRef, useState } from 'preact/hooks';
import { wordsOf } from '../api/request.js';
import { follow, TailEnded, type Followed } from './follow.js';
import type { Line } from './lines.js';

export interface Live {
  /** The newest comes first. */
  readonly lines: readonly Line[];
  /** This many lines have come since it began. */
  readonly come: number;
  /** It says in words why nothing comes just now. */
  readonly waits: string | undefined;
  /** It says in words why nothing comes any more. */
  readonly failure: string | undefined;
}

/** The page keeps so many lines; older ones are left to a search. */
export const LIVE_LINES_MAX = 500;
/** The page is drawn so often at most, however fast lines come. */
const DRAW_MS = 250;
const NOTHING: Live = { lines: [], come: 0, waits: 'Connecting…', failure: undefined };

/** Follows a stream for as long as it gets a question to follow. */
export function useLive(followed: Followed | undefined): Live {
  const [live, setLive] = useState(NOTHING);
  const key = useRef(0);
  const what = followed && JSON.stringify(followed);
  useEffect(() => {
    setLive(NOTHING);
    if (what === undefined) return;
    const leaving = new AbortController();
    let fresh: Line[] = [];
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      drawing = undefined;
      const come = fresh;
      fresh = [];
      setLive((before) => ({
        ...before,
        lines: [...come.reverse(), ...before.lines].slice(0, LIVE_LINES_MAX),
        come: before.come + come.length,
      }));
    };
    const listener = {
      begins: (): void => {
        fresh = [];
        setLive(NOTHING);
      },
      row: (json: string): void => {
        fresh.push({ key: `live ${(key.current += 1)}`, json });
        if (fresh.length > 2 * LIVE_LINES_MAX) fresh = fresh.slice(-LIVE_LINES_MAX);
        drawing ??= setTimeout(draw, DRAW_MS);
      },
      waits: (reason: string | undefined): void =>
        setLive((before) => ({ ...before, waits: reason })),
    };
    follow(JSON.parse(what) as Followed, listener, leaving.signal).catch((error: unknown) => {
      if (leaving.signal.aborted) return;
      const failure = error instanceof TailEnded ? error.message : wordsOf(error);
      setLive((before) => ({ ...before, waits: undefined, failure }));
    });
    return () => {
      leaving.abort();
      clearTimeout(drawing);
    };
  }, [what]);
  return live;
}
