import type { QueryLimits } from '@app/warehouse';

/** These limits allow more than any statement of these suites needs. */
export const LIMITS: QueryLimits = {
  timeoutSeconds: 10,
  memoryBytes: 1 << 30,
  readRows: 1e9,
  readBytes: 1e12,
  resultRows: 1e6,
  resultBytes: 1 << 30,
};

/** These limits let a statement read as long as it may. */
export const endless = (timeoutSeconds: number): QueryLimits => ({
  ...LIMITS,
  timeoutSeconds,
  readRows: 1e12,
  readBytes: 1e14,
  resultRows: 5_000_000,
});
