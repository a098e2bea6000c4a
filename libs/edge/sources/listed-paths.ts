import type { SourceEngine } from '@app/warehouse';
import { answeredRows } from './answered-rows.js';

/**
 * The paths of a source's files on this machine, each once, in the order of their names.
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
  // The engine names them in any order, and a fault of two files must read alike each time.
  return answeredRows<readonly string[]>(listed).flat().sort();
}
