import { VERDICT_TEXT_MAX, VERDICTS_MAX } from './limits.js';

/** Verdicts by text: the last ones used, up to a number and a length of all texts together. */
export class Verdicts<Verdict> {
  /** @param most how many, and of how many characters together */
  constructor(private readonly most = { verdicts: VERDICTS_MAX, characters: VERDICT_TEXT_MAX }) {}

  private readonly kept = new Map<string, Verdict>();
  private length = 0;

  get(text: string): Verdict | undefined {
    const verdict = this.kept.get(text);
    if (verdict !== undefined) {
      this.kept.delete(text);
      this.kept.set(text, verdict);
    }
    return verdict;
  }

  set(text: string, verdict: Verdict): void {
    this.forget(text);
    this.kept.set(text, verdict);
    this.length += text.length;
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most.verdicts && this.length <= this.most.characters) break;
      this.forget(oldest);
    }
  }

  private forget(text: string): void {
    if (this.kept.delete(text)) this.length -= text.length;
  }
}
