/**
 * Finds the first of many with which something fails, by halves. With all of them it has failed
 * once.
 * @param works tells whether it works with the first so many alone
 * @returns undefined where it fails without any of them, or does not fail with all of them again
 */
export async function firstThatFails<T>(
  all: readonly T[],
  works: (count: number) => Promise<boolean>,
): Promise<T | undefined> {
  if (!(await works(0))) return undefined;
  let [good, bad] = [0, all.length];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (await works(middle)) good = middle;
    else bad = middle;
  }
  // Nobody is at fault for what happened once.
  return bad < all.length || !(await works(bad)) ? all[bad - 1] : undefined;
}
