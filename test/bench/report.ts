import { cpus, loadavg, totalmem } from 'node:os';

/**
 * The load is read when this file is loaded, before the bench begins: it tells how much other work
 * the machine had.
 */
const [LOAD = 0] = loadavg();
const machine = (): string =>
  `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`;

/** Prints a table of figures as Markdown, with the machine they were measured on. */
export function report(title: string, figures: readonly (readonly [string, string])[]): void {
  print(title, machine(), [['figure', 'value'], ...figures]);
}

/**
 * Prints several figures in a line, with the load of the machine at the start.
 * @param rows the first has the names of the columns
 */
export function reportRows(title: string, rows: readonly (readonly string[])[]): void {
  print(title, `${machine()}, load ${LOAD.toFixed(1)} at the start`, rows);
}

function print(
  title: string,
  on: string,
  [head = [], ...rows]: readonly (readonly string[])[],
): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = [
    `### ${title}`,
    `${new Date().toISOString().slice(0, 10)}, ${on}`,
    '',
    line(head),
    line(head.map(() => '---')),
    ...rows.map(line),
  ];
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}
