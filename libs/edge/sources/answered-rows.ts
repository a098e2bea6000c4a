/**
 * Reads the rows of an answer in JSONEachRow or JSONCompactEachRow.
 * @param lines the answer as the engine gives it, a row each
 */
export const answeredRows = <Row>(lines: string): Row[] =>
  lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
