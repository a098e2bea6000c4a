const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * Remembers the commands that have left events in a stream, as short hashes. A missing mark proves
 * that the command has not come; a mark that is found may be that of another command.
 */
export class CommandMarks {
  private readonly marks = new Set<number>();

  get count(): number {
    return this.marks.size;
  }

  add(commandId: string): void {
    this.marks.add(markOf(commandId));
  }

  mayHave(commandId: string): boolean {
    return this.marks.has(markOf(commandId));
  }
}

/** FNV-1a, shortened so that the engine keeps it as a small integer. */
function markOf(commandId: string): number {
  let hash = FNV_START;
  for (let index = 0; index < commandId.length; index += 1)
    hash = Math.imul(hash ^ commandId.charCodeAt(index), FNV_PRIME);
  return (hash >>> 1) >>> 1;
}
