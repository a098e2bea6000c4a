/** The bytes of an interval: months, days and milliseconds, each in four of them, the lowest first. */
export const INTERVAL_BYTES = 12;

/**
 * SQL of an interval as ISO 8601 writes it, `P1M2DT3.5S`.
 * @param value SQL of its bytes
 */
export function intervalText(value: string): string {
  const [months, days, millis] = [1, 5, 9].map((at) => `reinterpretAsUInt32(substring(${value}, ${at}, 4))`) as [string, string, string]; // prettier-ignore
  const unless0 = (number: string, letter: string): string =>
    `if(${number} = 0, '', concat(toString(${number}), '${letter}'))`;
  const fraction = `if(${millis} % 1000 = 0, '', concat('.', trimRight(leftPad(toString(${millis} % 1000), 3, '0'), '0')))`;
  const seconds = `if(${millis} = 0 AND ${months} + ${days} != 0, '', concat('T', toString(intDiv(${millis}, 1000)), ${fraction}, 'S'))`;
  return `if(isNull(${value}), NULL, concat('P', ${unless0(months, 'M')}, ${unless0(days, 'D')}, ${seconds}))`;
}
