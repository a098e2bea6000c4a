const RESERVED = ['Query', 'String', 'Int', 'Float', 'Boolean', 'ID'];

/**
 * Names as GraphQL allows them: letters, digits and `_`, no digit first, no `__` first. Any other
 * character becomes `_`; a name that is taken gets a number.
 */
export class Names {
  private readonly taken: Set<string>;

  constructor(reserved: readonly string[] = RESERVED) {
    this.taken = new Set(reserved);
  }

  add(name: string): string {
    const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^__+/, '_');
    const base = /^[A-Za-z_]/.test(plain) ? plain : `_${plain}`;
    let chosen = base;
    for (let number = 2; this.taken.has(chosen); number += 1) chosen = `${base}_${number}`;
    this.taken.add(chosen);
    return chosen;
  }
}
