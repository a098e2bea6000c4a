const CHOOSES = /^(?:ifNull|coalesce|nvl|greatest|least)$/i;

/** The places of the arguments of which a call returns one. */
export function choicesOf(name: string, length: number): readonly number[] {
  const places = Array.from({ length }, (_, at) => at);
  if (CHOOSES.test(name)) return places;
  if (/^if$/i.test(name)) return places.slice(1);
  // The third argument is the value if there is no such row.
  if (/^(?:lag|lead)$/i.test(name)) return length === 3 ? [0, 2] : [];
  // The engine prints CASE like this, without an operand and with one.
  const first = name === 'multiIf' ? 1 : name === 'caseWithExpression' ? 2 : undefined;
  if (first === undefined) return [];
  return places.filter((at) => at === length - 1 || (at >= first && (at - first) % 2 === 0));
}
