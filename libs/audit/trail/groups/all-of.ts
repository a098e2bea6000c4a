/** Lets all of them end. @throws what the first of them throws that fails */
export async function allOf(works: readonly Promise<void>[]): Promise<void> {
  for (const each of await Promise.allSettled(works))
    if (each.status === 'rejected') throw each.reason;
}
