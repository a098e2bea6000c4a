/** Counts amounts by key. A key whose amount is used up is forgotten, because callers choose keys. */
export class KeyedCounter<Key = string> {
  private readonly amounts = new Map<Key, number>();
  private sum = 0;

  of(key: Key): number {
    return this.amounts.get(key) ?? 0;
  }

  /** The amounts of all keys together. */
  get total(): number {
    return this.sum;
  }

  /**
   * @param amount negative for an amount that is given back.
   * @returns the amount of the key afterwards
   */
  add(key: Key, amount: number): number {
    const after = this.of(key) + amount;
    this.sum += amount;
    if (after > 0) this.amounts.set(key, after);
    else this.amounts.delete(key);
    return after;
  }
}
