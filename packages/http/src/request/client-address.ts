import { BlockList, isIP, isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv6(address) ? 'ipv6' : 'ipv4');

/**
 * An entry of `X-Forwarded-For` without its port and brackets. Some proxies always send the port, for example those of Azure. A caller
 * has another port on each connection, so an address with its port counts nothing.
 *
 * Examples: `203.0.113.7:50001` → `203.0.113.7`, `[2001:db8::7]:443` → `2001:db8::7`
 */
export const withoutPort = (entry: string): string => {
  const [, inBrackets, beforePort] = /^(?:\[(.+)\](?::\d+)?|([\d.]+):\d+)$/.exec(entry.trim()) ?? [];
  const address = inBrackets ?? beforePort ?? '';
  return isIP(address) === 0 ? entry : address;
};

/** Whether a text is an address or a CIDR. */
export const isAddressRange = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};

/** Returns a function that checks whether an address, with or without a port, is in one of the ranges. */
export const createTrust = (ranges: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return (entry) => {
    const address = withoutPort(entry);
    return isIP(address) !== 0 && list.check(address, familyOf(address));
  };
};

/** The addresses that callers on the internet can have, as numbers. An IPv4 address is the end of `::ffff:0:0/96`. */
const publicSpans = [
  ['1.0.0.0', '223.255.255.255'],
  ['2000::', '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const;

const numberOf = (address: string): bigint => {
  const parsed = ipaddr.parse(address);
  const bytes = (parsed instanceof ipaddr.IPv4 ? parsed.toIPv4MappedAddress() : parsed).toByteArray();
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
};

const spanOf = (range: string): readonly [first: bigint, last: bigint] => {
  const [address = '', bits] = range.split('/');
  const width = isIPv6(address) ? 128 : 32;
  const size = 1n << BigInt(width - Number(bits ?? width));
  const first = (numberOf(address) / size) * size;
  return [first, first + size - 1n];
};

/** Whether ranges together contain all public addresses of IPv4 or of IPv6. Trusting them all lets every caller choose its address. */
export const coverEverything = (ranges: readonly string[]): boolean => {
  const spans = ranges.map(spanOf).sort(([a], [b]) => (a < b ? -1 : 1));
  return publicSpans.some(([from, to]) => {
    let next = numberOf(from);
    for (const [first, last] of spans) if (first <= next && last >= next) next = last + 1n;
    return next > numberOf(to);
  });
};
