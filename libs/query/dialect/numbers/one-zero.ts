/** One value for 0.0 and -0.0, as a float of 64 bits. */
export const positiveZero = (value: string): string => `(${value} + 0)`;

/** The same with the type that the value has. */
export const withOneZero = (value: string): string => `if((${value}) = 0, 0, ${value})`;
