import { quoteText } from '@app/warehouse';
import { isOfNumbers, type FractionKind, type LiteralKind } from './compared-literals.js';

/** A value that occurs nowhere else in a statement. */
export interface Marker {
  readonly kind: LiteralKind;
  readonly value: string;
  /** The value in the notation of a statement. */
  readonly literal: string;
}

/** This many values are tried before a statement is judged without a shape. */
const TRIES_MAX = 200;
/** The digits of a number. Only the last ones change from marker to marker. */
const LAST_DIGITS = 3;

/** Makes values of each kind for one statement, always the same ones in the same order. */
export class Markers {
  private readonly tried = new Map<LiteralKind, number>();

  /** @param taken all texts that must not contain a marker. */
  constructor(private readonly taken: string) {}

  /** @returns undefined where there are no more. */
  of(kind: LiteralKind): Marker | undefined {
    for (let at = this.tried.get(kind) ?? 0; at < TRIES_MAX; at += 1) {
      const value = valueAt(kind, at);
      if (value === undefined) return undefined;
      this.tried.set(kind, at + 1);
      if (this.taken.includes(value)) continue;
      return { kind, value, literal: isOfNumbers(kind) ? value : quoteText(value) };
    }
    return undefined;
  }
}

const two = (number: number): string => String(number).padStart(2, '0');

function valueAt(kind: LiteralKind, at: number): string | undefined {
  if (typeof kind === 'number') return numberAt(kind, at);
  if (isOfNumbers(kind)) return fractionAt(kind, at);
  const [minute, second] = [two(Math.floor(at / 60)), two(at % 60)];
  switch (kind) {
    case 'text':
      return `value ${at} of a shape`;
    case 'day':
      return `19${two((at % 28) + 70)}-${two(Math.floor(at / 28) + 1)}-11`;
    case 'second':
      return `1987-06-05 04:${minute}:${second}`;
    case 'moment':
      return `1987-06-05 05:${minute}:${second}.321`;
    case 'iso':
      return `1987-06-05T06:${minute}:${second}.321Z`;
  }
}

/** The value is neither 0 nor 1, which occur in most statements. */
function numberAt(digits: number, at: number): string | undefined {
  const last = Math.min(digits, LAST_DIGITS);
  const step = digits < LAST_DIGITS ? 1 : 4;
  const value = 10 ** last - 1 - at * step;
  const isLong = value >= 10 ** (last - 1) && value > 1;
  return isLong ? '9'.repeat(digits - last) + String(value) : undefined;
}

/**
 * It does not end in 0, which the engine would not print, and cannot be mistaken for the marker of
 * an integer.
 */
function fractionAt(kind: FractionKind, at: number): string | undefined {
  const [whole = 0, behind = 0] = kind.split('.').map(Number);
  const last = Math.min(behind, LAST_DIGITS);
  const value = Math.floor((8 * 10 ** last) / 9) - 1 - at * (last < LAST_DIGITS ? 2 : 4);
  if (value < 10 ** (last - 1) || value <= 1) return undefined;
  return `${'8'.repeat(whole) || '0'}.${'8'.repeat(behind - last)}${value}`;
}
