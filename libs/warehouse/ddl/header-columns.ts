/**
 * Gives columns of a table without a schema the names of its header. A missing name becomes
 * `column_<n>`, and a repeated one gets the next number: `name_2`.
 * @param written without blanks around them
 */
export function namedByHeader(written: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  return written.map((text, index) => {
    const wanted = text === '' ? `column_${index + 1}` : text;
    let name = wanted;
    for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
    taken.add(name);
    return name;
  });
}
