/** The work was refused because too much work waits already. */
export class Crowded extends Error {}

interface Waiter {
  go(): void;
  refuse(): void;
}

/** The waiters of one name. A leaf has waiters of its own, every other group has groups. */
class Group {
  readonly groups = new Map<string, Group>();
  readonly waiters: Waiter[] = [];
  size = 0;
}

/**
 * Lets so much work run at a time. Waiting work is served in turns: each group gets one turn and
 * then goes behind the others, and so do the groups within it. A group with much work therefore
 * delays only itself. The waiting work is bounded, in all and for each path.
 */
export class FairTurns {
  private readonly root = new Group();
  private running = 0;

  constructor(
    private readonly limits: {
      readonly slots: number;
      readonly waiting: number;
      readonly waitingEach: number;
      /** Work that has waited for so long is refused; without it, it waits as long as it takes. */
      readonly waitMs?: number;
    },
  ) {}

  /**
   * @param path the groups that the work belongs to, the widest first; all paths have the same
   * length
   * @throws {Crowded} when too much work waits. When all places are taken, the newest work of the
   * largest group gives up its place, so the error may come at once or later; and for work that has
   * waited for too long.
   */
  async run<T>(path: readonly string[], work: () => Promise<T>): Promise<T> {
    if (this.running < this.limits.slots) this.running += 1;
    else await this.wait(path);
    try {
      return await work();
    } finally {
      const next = takeFirst(this.root);
      // The place is handed over, so that nobody else gets in between.
      if (next) next.go();
      else this.running -= 1;
    }
  }

  /** Tells how much waits now. */
  get waiting(): number {
    return this.root.size;
  }

  private wait(path: readonly string[]): Promise<void> {
    return new Promise((go, reject) => {
      const refuse = (): void => reject(new Crowded('too much waits already'));
      if (sizeOf(this.root, path) >= this.limits.waitingEach) {
        refuse();
        return;
      }
      put(this.root, path, this.inTime(path, { go, refuse }));
      if (this.root.size > this.limits.waiting) takeNewestOfLargest(this.root)?.refuse();
    });
  }

  private inTime(path: readonly string[], waiting: Waiter): Waiter {
    const { waitMs } = this.limits;
    if (waitMs === undefined) return waiting;
    const giveUp = setTimeout(() => {
      leave(this.root, path, waiter);
      waiting.refuse();
    }, waitMs);
    const waiter: Waiter = {
      go: () => {
        clearTimeout(giveUp);
        waiting.go();
      },
      refuse: () => {
        clearTimeout(giveUp);
        waiting.refuse();
      },
    };
    return waiter;
  }
}

function sizeOf(root: Group, path: readonly string[]): number {
  let group: Group | undefined = root;
  for (const name of path) group = group?.groups.get(name);
  return group?.size ?? 0;
}

function put(root: Group, path: readonly string[], waiter: Waiter): void {
  let group = root;
  group.size += 1;
  for (const name of path) {
    const next = group.groups.get(name) ?? new Group();
    group.groups.set(name, next);
    next.size += 1;
    group = next;
  }
  group.waiters.push(waiter);
}

function leave(group: Group, [name, ...rest]: readonly string[], waiter: Waiter): void {
  group.size -= 1;
  const next = name === undefined ? undefined : group.groups.get(name);
  if (name === undefined) group.waiters.splice(group.waiters.indexOf(waiter), 1);
  else if (next?.size === 1) group.groups.delete(name);
  else if (next) leave(next, rest, waiter);
}

/**
 * Takes the next waiter. A map keeps the order in which its keys were set, which is the order of
 * turns.
 */
function takeFirst(group: Group): Waiter | undefined {
  if (group.size === 0) return undefined;
  group.size -= 1;
  const [first] = group.groups;
  if (!first) return group.waiters.shift();
  const [name, next] = first;
  group.groups.delete(name);
  const taken = takeFirst(next);
  if (next.size > 0) group.groups.set(name, next);
  return taken;
}

function takeNewestOfLargest(group: Group): Waiter | undefined {
  group.size -= 1;
  let largest: readonly [string, Group] | undefined;
  // Among groups of equal size, the newest is taken.
  for (const each of group.groups) if (each[1].size >= (largest?.[1].size ?? 0)) largest = each;
  if (!largest) return group.waiters.pop();
  const [name, next] = largest;
  const taken = takeNewestOfLargest(next);
  if (next.size === 0) group.groups.delete(name);
  return taken;
}
