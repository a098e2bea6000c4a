/** Tells how reasons of what is no record at all start. */
export const STRUCTURAL = 'not a record: ';
