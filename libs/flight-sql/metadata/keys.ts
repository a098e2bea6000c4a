import { column, type MetadataColumn } from './write-rows.js';

const nullable = (name: string): MetadataColumn => column(name, [], { isNullable: true });
const text = (name: string): MetadataColumn => column(name, []);
const [number, rule] = [
  (name: string): MetadataColumn => column(name, [], { type: 'int32' }),
  (name: string): MetadataColumn => column(name, [], { type: 'uint8' }),
];

/** Tables have no keys here: these answers have their columns and no rows. */
export const PRIMARY_KEYS: readonly MetadataColumn[] = [
  ...[nullable('catalog_name'), nullable('db_schema_name'), text('table_name')],
  ...[text('column_name'), nullable('key_name'), number('key_sequence')],
];

export const KEYS_OF_OTHERS: readonly MetadataColumn[] = [
  ...[nullable('pk_catalog_name'), nullable('pk_db_schema_name'), text('pk_table_name')],
  ...[text('pk_column_name'), nullable('fk_catalog_name'), nullable('fk_db_schema_name')],
  ...[text('fk_table_name'), text('fk_column_name'), number('key_sequence')],
  ...[nullable('fk_key_name'), nullable('pk_key_name'), rule('update_rule'), rule('delete_rule')],
];
