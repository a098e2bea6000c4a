import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PlacedDefinition } from './table-definitions.js';

/**
 * Takes definitions out of the engine's sight for a moment. They lie where those lie that are set
 * aside, so that the next start puts them back when this process does not come to do it.
 */
export class HiddenDefinitions {
  private readonly hidden = new Map<string, string>();

  constructor(private readonly folder: string) {}

  /** Leaves only the first so many in their places. */
  leave(all: readonly PlacedDefinition[], count: number): void {
    for (const { place } of all.slice(0, count)) this.show(place);
    for (const { database, place } of all.slice(count)) {
      const file = join(this.folder, database, basename(place));
      // One is not there any more where the engine has named it meanwhile.
      if (this.hidden.has(place) || !existsSync(place)) continue;
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      renameSync(place, file);
      this.hidden.set(place, file);
    }
  }

  showAll(): void {
    for (const place of [...this.hidden.keys()]) this.show(place);
  }

  private show(place: string): void {
    const file = this.hidden.get(place);
    if (file !== undefined) renameSync(file, place);
    this.hidden.delete(place);
  }
}
