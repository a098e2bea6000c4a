import type { SourceEngine } from '@app/warehouse';

/**
 * The paths of a source's files on this machine, each once.
 * @param files the source's table function that names them in `_path`
 * @param most the largest number of paths to list
 */
export async function listedPaths(
  files: string,
  statements: SourceEngine['statements'],
  most?: number,
): Promise<readonly string[]> {
  const limit = most === undefined ? '' : ` LIMIT ${most}`;
  const listed = await statements.run(`SELECT DISTINCT _path FROM ${files}${limit} FORMAT JSONCompactEachRow`); // prettier-ignore
  const lines = listed.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => JSON.parse(line) as readonly string[]);
}
