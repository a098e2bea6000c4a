import { quoteIdentifier } from '@app/warehouse';
import type { TableDescription } from '../catalog.js';

const POSITION = ['_offset', '_row'] as const;

function where(condition: string, filter: string): string {
  return filter.trim() === '' ? condition : `${condition} AND (\n${filter}\n)`;
}

/** Rows of a partition from a place on, up to an offset, in order; each begins with its place. */
export function followingRows({ name }: TableDescription, filter: string): string {
  const condition =
    '_partition = {tail_partition:UInt32}' +
    ' AND _offset >= {tail_from:UInt64} AND _offset < {tail_before:UInt64}' +
    ' AND (_offset > {tail_from:UInt64} OR _row >= {tail_row:UInt32})';
  return (
    `SELECT ${POSITION.join(', ')}, * FROM ${quoteIdentifier(name)}` +
    ` WHERE ${where(condition, filter)} ORDER BY ${POSITION.join(', ')}`
  );
}

/** All rows but those, newest first. */
export function earlierRows(
  { name, arrivalColumns = [] }: TableDescription,
  filter: string,
): string {
  const order = ['_timestamp', ...arrivalColumns].map((column) => `${column} DESC`).join(', ');
  const condition = 'NOT (_partition = {tail_partition:UInt32} AND _offset >= {tail_from:UInt64})';
  return (
    `SELECT ${POSITION.join(', ')}, * FROM ${quoteIdentifier(name)}` +
    ` WHERE ${where(condition, filter)} ORDER BY ${order}`
  );
}
