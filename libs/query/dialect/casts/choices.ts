const CHOOSES = /^(?:ifNull|coalesce|nvl|greatest|least)$/i;

/** Places of the arguments of which a call answers one. */
export function choicesOf(name: string, length: number): readonly number[] {
  const places = Array.from({ length }, (_, at) => at);
  if (CHOOSES.test(name)) return places;
  if (/^if$/i.test(name)) return places.slice(1);
  // The third is what stands where there is no such row.
  if (/^(?:lag|lead)$/i.test(name)) return length === 3 ? [0, 2] : [];
  // As the engine prints CASE, without an operand and with one.
  const first = name === 'multiIf' ? 1 : name === 'caseWithExpression' ? 2 : undefined;
  if (first === undefined) return [];
  return places.filter((at) => at === length - 1 || (at >= first && (at - first) % 2 === 0));
}
