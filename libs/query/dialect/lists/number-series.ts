const NUMBER = /^-?\s*\d+$/;

/**
 * Writes the list of `generate_series(from, to, step)`, with its end. If an end is null, the list
 * is empty, because the engine would raise an error.
 * @param written the arguments in the engine's SQL.
 */
export function numberSeries([from = '', to = '', step = '1']: readonly string[]): string {
  const isDown = NUMBER.test(step) && step.startsWith('-');
  const past = isDown ? '- 1' : NUMBER.test(step) ? '+ 1' : `+ sign(${step})`;
  const end = `(${to}) ${past}`;
  const begin = NUMBER.test(from) ? from : `ifNull(${from}, 0)`;
  const known = NUMBER.test(from) ? end : `if(isNull(${from}), NULL, ${end})`;
  const isSaid = [from, to, step].every((each) => NUMBER.test(each));
  const by = NUMBER.test(step) ? step : `ifNull(${step}, 1)`;
  return `range(${begin}, ${isSaid ? end : `ifNull(${known}, ${begin})`}, ${by})`;
}
