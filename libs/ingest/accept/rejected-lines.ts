import { quoteText, type LocalEngine } from '@app/warehouse';

/** Numbers of the lines that acceptance has put into a file of rejected records, ascending. */
export async function rejectedLines(engine: LocalEngine, file: string): Promise<readonly number[]> {
  const answer = await engine.run(
    `SELECT toJSONString(arraySort(groupUniqArray(toFloat64(line)))) FROM file(${quoteText(file)}, Native) SETTINGS input_format_skip_unknown_fields = 1`,
  );
  return JSON.parse(answer) as number[];
}
