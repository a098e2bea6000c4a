/**
 * Makes names that GraphQL allows: letters, digits and `_`, without a digit at the beginning, and
 * without `__`, which GraphQL reserves. Any other character becomes `_`; a name that is used
 * already gets a number.
 */
export class Names {
  private readonly taken: Set<string>;

  constructor(reserved: readonly string[]) {
    this.taken = new Set(reserved);
  }

  add(name: string): string {
    const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^__+/, '_');
    const base = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
    // A `_` separates the number, if the name is nothing else.
    const stem = base === '_' ? base : `${base}_`;
    let chosen = base;
    for (let number = 2; this.taken.has(chosen); number += 1) chosen = `${stem}${number}`;
    this.taken.add(chosen);
    return chosen;
  }
}
