/** Of PostgreSQL: that of the catalog's own tables, by which clients choose how to ask them. */
export const SERVER_VERSION = '18.6';
