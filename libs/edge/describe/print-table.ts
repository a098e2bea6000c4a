import type { DescribedColumn, DescribedTable, TableOptions } from '../table-description.js';
import { present } from './format-options.js';

/** The table as an entry of a configuration file, which `tableEntry` reads as the same table. Plain JSON. */
export function printTable(table: DescribedTable): Readonly<Record<string, unknown>> {
  const { name, uri, options, columns, partitionColumns, headers } = table;
  return {
    name,
    uri,
    option: { ...printOptions(options), ...present('materialize', table.materialize) },
    ...present('schema', columns && { columns: columns.map(printColumn) }),
    ...present('schema_from_files', table.schemaFromFiles),
    ...present('partition_columns', partitionColumns?.map(printColumn)),
    ...present('reload_interval', table.reloadSeconds),
    ...present('io_option', headers && { headers }),
  };
}

const printColumn = ({ name, dataType, nullable }: DescribedColumn) => ({
  name,
  data_type: dataType,
  nullable,
});

function printOptions(options: TableOptions): Readonly<Record<string, unknown>> {
  switch (options.format) {
    case 'csv': {
      const { format, hasHeader, delimiter, projection } = options;
      return {
        format,
        has_header: hasHeader,
        ...present('delimiter', delimiter),
        ...present('projection', projection),
      };
    }
    case 'json': {
      const { format, arrayEncoded, pointer } = options;
      return { format, array_encoded: arrayEncoded, ...present('pointer', pointer) };
    }
    case 'xls':
    case 'xlsx':
    case 'xlsb':
    case 'ods':
      return {
        format: options.format,
        ...present('sheet_name', options.sheetName),
        ...present('rows_range_start', options.rowsStart),
        ...present('rows_range_end', options.rowsEnd),
        ...present('columns_range_start', options.columnsStart),
        ...present('columns_range_end', options.columnsEnd),
        ...present('schema_inference_lines', options.inferenceRows),
      };
    default:
      return { ...options };
  }
}
