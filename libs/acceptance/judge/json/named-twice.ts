import { hashOfName } from './name-hash.js';

/** Up to so many names are compared pair by pair, which costs less than to hash them. */
const COMPARED_MAX = 12;

/**
 * Tells whether an object has two fields of one name, which a column of objects cannot hold.
 * @param spans where each name begins and ends, quotes included
 * @param escaped whether any may be written with an escape, and so in several ways
 */
export function namedTwice(bytes: Buffer, spans: readonly number[], escaped: boolean): boolean {
  if (escaped || spans.length > 2 * COMPARED_MAX)
    return hashedTwice(bytes, spans) && textsTwice(bytes, spans);
  for (let later = 2; later < spans.length; later += 2)
    for (let earlier = 0; earlier < later; earlier += 2)
      if (isSame(bytes, spans[later] ?? 0, spans[later + 1] ?? 0, spans[earlier] ?? 0, spans[earlier + 1] ?? 0)) return true; // prettier-ignore
  return false;
}

function isSame(bytes: Buffer, from: number, to: number, other: number, otherTo: number): boolean {
  if (to - from !== otherTo - other) return false;
  // Names of one object often begin alike, but seldom end alike.
  for (let at = to - 1, beside = otherTo - 1; at >= from; at -= 1, beside -= 1)
    if (bytes[at] !== bytes[beside]) return false;
  return true;
}

/** More places than nearly all objects need; few objects have a table of their own. */
const PLACES = 1024;
const shared = new Int32Array(PLACES);

/** An empty table of hashes, at most half of which will be taken. 0 is no hash. */
function tableFor(names: number): Int32Array {
  let size = 32;
  while (size < 2 * names) size *= 2;
  return size <= PLACES ? shared.subarray(0, size).fill(0) : new Int32Array(size);
}

/** Tells whether two names have one hash. To make texts of them takes ten times as long. */
function hashedTwice(bytes: Buffer, spans: readonly number[]): boolean {
  const places = tableFor(spans.length / 2);
  const last = places.length - 1;
  for (let index = 0; index < spans.length; index += 2) {
    const hash = hashOfName(bytes, (spans[index] ?? 0) + 1, (spans[index + 1] ?? 0) - 1) || 1;
    let place = (hash ^ (hash >>> 15)) & last;
    for (let other = places[place]; other !== 0; other = places[place]) {
      if (other === hash) return true;
      place = (place + 1) & last;
    }
    places[place] = hash;
  }
  return false;
}

/** Tells for certain. */
function textsTwice(bytes: Buffer, spans: readonly number[]): boolean {
  const texts = new Set<unknown>();
  for (let index = 0; index < spans.length; index += 2)
    texts.add(JSON.parse(bytes.toString('utf8', spans[index] ?? 0, spans[index + 1] ?? 0)));
  return texts.size * 2 < spans.length;
}
