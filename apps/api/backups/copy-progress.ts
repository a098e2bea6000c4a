const MIB = 1024 ** 2;

export interface CopyProgress {
  readonly step: string;
  readonly bytes?: number;
  readonly files?: number;
  readonly of?: number;
}

/**
 * Shows on stderr how far a copy is. On a terminal it rewrites one line; otherwise it writes a line
 * for each step.
 * @param told the words for a step
 */
export function copyProgress(told: Readonly<Record<string, string>>): {
  readonly update: (progress: CopyProgress) => void;
  readonly end: () => void;
} {
  const { isTTY } = process.stderr;
  let last = '';
  return {
    update: ({ step, bytes, files, of }) => {
      const name = told[step] ?? step;
      const size = bytes === undefined ? '' : ` (${Math.ceil(bytes / MIB)} MiB)`;
      const count = files === undefined ? '' : ` (${files} of ${of} files)`;
      const text = isTTY ? `\r\u001b[K${name}${size}${count}` : `${name}\n`;
      if (text !== last) process.stderr.write(text);
      last = text;
    },
    end: () => void (isTTY && last !== '' && process.stderr.write('\n')),
  };
}
