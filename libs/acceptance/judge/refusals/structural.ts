/** The beginnings of the reasons for lines that are not records at all. */
export const STRUCTURAL = 'not a record: ';
