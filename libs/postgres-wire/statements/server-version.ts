/** The version of PostgreSQL that the catalog's own tables are of; clients choose by it how to ask them. */
export const SERVER_VERSION = '18.6';
