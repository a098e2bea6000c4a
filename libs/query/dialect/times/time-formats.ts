import { MillraceError } from '@app/platform';

/**
 * The letters of Postgres' templates, longest first, with the engine's; there, `i` is the minute.
 */
const TEMPLATE: readonly (readonly [string, string])[] = [
  ['FMMonth', '%M'],
  ['FMDay', '%W'],
  ['Month', '%M'],
  ['HH24', '%H'],
  ['HH12', '%I'],
  ['YYYY', '%Y'],
  ['DDD', '%j'],
  ['Day', '%W'],
  ['Mon', '%b'],
  ['YY', '%y'],
  ['MM', '%m'],
  ['DD', '%d'],
  ['HH', '%I'],
  ['MI', '%i'],
  ['SS', '%S'],
  ['US', '%f'],
  ['AM', '%p'],
  ['PM', '%p'],
  ['Dy', '%a'],
  ['IW', '%V'],
  ['Q', '%Q'],
];

/** The letters of C's strftime, and of chrono's, for which the engine has different ones. */
const PERCENT: Readonly<Record<string, string>> = { M: '%i', B: '%M', A: '%W', '.': '.' };
const SAME = 'YymdHIjSfpbaeFTVQ%';

/**
 * Converts a format of `to_char`, `to_timestamp` and `strftime` to the engine's.
 * @throws {MillraceError} INVALID_SQL
 */
export function engineFormat(format: string): string {
  return format.includes('%') ? ofPercent(format) : ofTemplate(format);
}

function ofPercent(format: string): string {
  return format.replace(/%(\.%?f|\.?[369]f|.?)/gs, (whole, letter: string) => {
    if (/^\.?[369]?f$/.test(letter)) return letter.startsWith('.') ? '.%f' : '%f';
    const engine = PERCENT[letter] ?? (letter !== '' && SAME.includes(letter) ? whole : undefined);
    if (engine === undefined) throw unknownField(format, whole);
    return engine;
  });
}

function ofTemplate(format: string): string {
  let written = '';
  for (let at = 0; at < format.length;) {
    const rest = format.slice(at);
    const [quoted, inside = ''] = /^"([^"]*)"/.exec(rest) ?? [];
    const known = TEMPLATE.find(([field]) => rest.startsWith(field));
    if (quoted !== undefined) written += inside;
    else if (known) written += known[1];
    else if (/^[A-Za-z]/.test(rest) && !/^T(?:HH|$)/.test(rest)) throw unknownField(format, rest);
    else written += rest.charAt(0);
    at += quoted?.length ?? known?.[0].length ?? 1;
  }
  return written;
}

function unknownField(format: string, field: string): MillraceError {
  const known = TEMPLATE.map(([name]) => name).join(', ');
  return new MillraceError(
    'INVALID_SQL',
    `the format ${JSON.stringify(format)} has a part that is not known here, ${JSON.stringify(field.slice(0, 10))}; known are ${known}, or those of strftime, such as %Y-%m-%d`,
  );
}
