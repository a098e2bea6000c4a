const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];

export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}

export const countOf = (records: number): string =>
  `${records.toLocaleString()} ${records === 1 ? 'record' : 'records'}`;
