/**
 * Names as GraphQL allows them: letters, digits and `_`, no digit first, no `__` first, since that
 * is GraphQL's own. Any other character becomes `_`; a name that is taken gets a number.
 */
export class Names {
  private readonly taken: Set<string>;

  constructor(reserved: readonly string[]) {
    this.taken = new Set(reserved);
  }

  add(name: string): string {
    const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^__+/, '_');
    const base = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
    // A number is parted by a `_`, which a name that is nothing else has.
    const stem = base === '_' ? base : `${base}_`;
    let chosen = base;
    for (let number = 2; this.taken.has(chosen); number += 1) chosen = `${stem}${number}`;
    this.taken.add(chosen);
    return chosen;
  }
}
