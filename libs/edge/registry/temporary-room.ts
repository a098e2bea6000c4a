import { statfs } from 'node:fs/promises';

/** The bytes that one table may take of the temporary folder, whose disk others need, too. */
export async function halfOfFree(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return Math.floor((bavail * bsize) / 2);
}
