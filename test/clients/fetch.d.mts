/** Where the packages are, once `node test/clients/fetch.mjs` has brought them. */
export const pythonFolder: string;
export const nodeFolder: string;
