export { engineType, type ArrowDataType } from './arrow-data-type.js';
export {
  TABLE_FORMATS,
  type DatabaseFormat,
  type DescribedColumn,
  type DescribedTable,
  type SheetFormat,
  type TableFormat,
  type TableOptions,
} from './table-description.js';
