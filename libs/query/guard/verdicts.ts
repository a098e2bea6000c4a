import { VERDICT_TEXT_MAX, VERDICTS_MAX } from './limits.js';

interface Kept<Verdict> {
  readonly verdict: Verdict;
  readonly length: number;
}

/**
 * A cache of verdicts by text. It keeps those that were used last, up to a number of verdicts and
 * of characters.
 */
export class Verdicts<Verdict> {
  /**
   * @param most the number of verdicts, and of characters
   * @param lengthOf characters that a verdict holds besides its text
   */
  constructor(
    private readonly most = { verdicts: VERDICTS_MAX, characters: VERDICT_TEXT_MAX },
    private readonly lengthOf: (verdict: Verdict) => number = () => 0,
  ) {}

  private readonly kept = new Map<string, Kept<Verdict>>();
  private length = 0;

  get(text: string): Verdict | undefined {
    const kept = this.kept.get(text);
    if (kept !== undefined) {
      this.kept.delete(text);
      this.kept.set(text, kept);
    }
    return kept?.verdict;
  }

  set(text: string, verdict: Verdict): void {
    this.forget(text);
    const length = text.length + this.lengthOf(verdict);
    this.kept.set(text, { verdict, length });
    this.length += length;
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most.verdicts && this.length <= this.most.characters) break;
      this.forget(oldest);
    }
  }

  private forget(text: string): void {
    this.length -= this.kept.get(text)?.length ?? 0;
    this.kept.delete(text);
  }
}
