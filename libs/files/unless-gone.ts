/**
 * Waits for work on a file or a folder that may not exist.
 * @returns `instead` if it does not
 */
export async function unlessGone<T, U>(work: Promise<T>, instead: U): Promise<T | U> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead;
    throw error;
  }
}
