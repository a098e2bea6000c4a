/**
 * Waits for work on a file or a folder that may not be there.
 * @returns `instead` where it is not
 */
export async function unlessGone<T, U>(work: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead;
    throw error;
  }
}
