import { isIP } from 'node:net';
import { toUrl } from '@crm/domain';
import ipaddr from 'ipaddr.js';

/** Networks of `WEBHOOK_ALLOWED_NETWORKS` as CIDRs, for example `10.0.0.0/8`: the only private addresses that may be called. */
export type Networks = readonly string[];

/** The longest URL of an endpoint, in characters. */
export const maxUrlLength = 2_000;

const publicPorts = ['', '8443'];
const isLocalName = (host: string): boolean => /(^|\.)(localhost|local|internal)$/.test(host);
const privateText = 'must be a public address: an operator can allow private networks with WEBHOOK_ALLOWED_NETWORKS';

/** Whether a text is a CIDR such as `10.0.0.0/8`. */
export const isNetwork = (text: string): boolean => ipaddr.isValidCIDR(text);

/** The family of a network or an address. */
export const familyOf = (text: string): 4 | 6 => (text.includes(':') ? 6 : 4);

/**
 * Networks that are no public addresses, although the library takes them for such: a metadata service of Azure, and every IPv6 address
 * outside of 2000::/3, such as `::127.0.0.1`.
 */
export const deniedNetworks = {
  4: ['168.63.129.16/32'],
  6: ['::/3', '4000::/2', '8000::/1', '3fff::/20'],
} as const;

/** The host of a URL, without the brackets of an IPv6 address and the dot at the end. */
export const addressOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const isPublicAddress = (address: string): boolean =>
  ipaddr.parse(address).range() === 'unicast' && !isWithin(address, deniedNetworks[familyOf(address)]);

const isWithin = (address: string, networks: Networks): boolean => {
  const parsed = ipaddr.parse(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === parsed.kind() && parsed.match(base, bits);
  });
};

/**
 * Why a URL cannot be an endpoint, as the text of a field error; null if it can. Host names are not looked up here: their addresses
 * are checked again when the worker connects.
 */
export const endpointUrlProblem = (text: string, networks: Networks): string | null => {
  const url = toUrl(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return 'must be a URL that starts with https://';
  if (text.length > maxUrlLength) return `must have at most ${maxUrlLength} characters`;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  const host = addressOf(url);
  const isAddress = isIP(host) !== 0;
  if (isAddress && isWithin(host, networks)) return null;
  if (isAddress && !isPublicAddress(host)) return privateText;
  // The worker allows a host name with another scheme or port only if it resolves to an allowed network.
  if (!isAddress && networks.length > 0) return null;
  if (isLocalName(host)) return privateText;
  if (url.protocol !== 'https:') return 'must start with https://';
  return publicPorts.includes(url.port) ? null : 'must use port 443 or 8443';
};

/** Whether a URL may be called at a public address. All others may be called only in the allowed networks. */
export const isPublicUrl = (url: URL): boolean => url.protocol === 'https:' && publicPorts.includes(url.port);
