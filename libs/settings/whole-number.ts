import { z } from 'zod';

/** Only digits are accepted, because an empty variable must not count as 0. */
export const wholeNumber = (fallback: number) =>
  z
    .string()
    .regex(/^\d+$/, 'want a whole number in digits, without a unit')
    .prefault(String(fallback))
    .transform(Number)
    .refine(Number.isSafeInteger, 'want a smaller number');

export const positive = (fallback: number) =>
  wholeNumber(fallback).refine((value) => value > 0, 'want more than 0');
