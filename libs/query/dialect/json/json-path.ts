import { certain, MillraceError } from '@app/platform';
import { quoteText } from '@app/warehouse';

/** A key of an object, or a place in a list, counted from 0, or from the end if it is negative. */
export type Step = string | number;

const STEP = /\.(?:"([^"]+)"|([^."[\]*]+))|\[(?:(#?-?\d+)|'([^']+)'|"([^"]+)")\]/y;

/** Reads `$.a.b[0]`, `/a/b/0` or a key alone. @throws {MillraceError} INVALID_SQL */
export function jsonPath(text: string): readonly Step[] {
  if (text.startsWith('/'))
    return text
      .slice(1)
      .split('/')
      .map((key) =>
        /^\d+$/.test(key) ? Number(key) : key.replaceAll('~1', '/').replaceAll('~0', '~'),
      );
  if (!text.startsWith('$')) return [text];
  const steps: Step[] = [];
  for (let at = 1; at < text.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const found = STEP.exec(text);
    if (!found)
      throw new MillraceError('INVALID_SQL', `${quoteText(text)} is no path here: write '$.a.b[0]', without * and ranges`); // prettier-ignore
    const [, quoted, plain, place, single, double] = found;
    const key = quoted ?? plain ?? single ?? double;
    steps.push(key ?? Number(certain(place, 'key or place in a path').replace('#', '')));
  }
  return steps;
}

/** Writes a step for the engine's functions of JSON, which count from 1. */
export const writtenStep = (step: Step): string =>
  typeof step === 'string' ? quoteText(step) : String(step < 0 ? step : step + 1);
