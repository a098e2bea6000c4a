import { isIPv4, isIPv6 } from 'node:net';

/** The origin of a request, as far as its address shows it. */
export interface AddressPrefix {
  /**
   * The prefix of an address that one customer has. With IPv4 it is the whole address, since
   * neighbours in a larger block are strangers to each other. With IPv6 it is the first 64 bits,
   * since one customer has all addresses that begin so.
   */
  readonly prefix: string;
  /** The range that one owner of many such prefixes often has: /24 of IPv4, /48 of IPv6. */
  readonly network: string;
}

/** Stands for a text that is no address: a trusted proxy may send any text. */
const UNKNOWN: AddressPrefix = { prefix: 'unknown', network: 'unknown' };

export function addressPrefix(address: string): AddressPrefix {
  if (isIPv4(address)) return ofIPv4(address);
  const [withoutZone = ''] = address.split('%', 1);
  if (!isIPv6(withoutZone)) return UNKNOWN;
  const groups = groupsOf(withoutZone);
  const mapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff';
  if (mapped) return ofIPv4(groups.slice(6).flatMap(twoBytes).join('.'));
  return {
    prefix: `${groups.slice(0, 4).join(':')}::/64`,
    network: `${groups.slice(0, 3).join(':')}::/48`,
  };
}

function ofIPv4(address: string): AddressPrefix {
  return { prefix: address, network: `${address.slice(0, address.lastIndexOf('.'))}.0/24` };
}

/** The eight groups, in hex without leading zeros. */
function groupsOf(address: string): string[] {
  // A URL has the address in its one canonical form.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = '', after] = canonical.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  return [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
}

function twoBytes(group: string): number[] {
  const value = parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
