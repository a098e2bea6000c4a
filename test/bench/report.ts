import { cpus, totalmem } from 'node:os';

/** Prints a table of figures as Markdown, with the machine they were measured on. */
export function report(title: string, figures: readonly (readonly [string, string])[]): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'cpu'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node.js ${process.version}`;
  const lines = [
    `### ${title}`,
    `${new Date().toISOString().slice(0, 10)}, ${machine}`,
    '',
    '| figure | value |',
    '| --- | --- |',
  ];
  for (const [name, value] of figures) lines.push(`| ${name} | ${value} |`);
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}
