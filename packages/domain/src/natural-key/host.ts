import { domainToASCII, domainToUnicode } from 'node:url';
import { toASCII, toUnicode } from 'tr46';
import { fail, ok, type Result } from '../result.js';

/** The longest domain, in octets of its ASCII form without a trailing dot. */
export const maxDomainLength = 253;

const maxLabelLength = 63;

/** The maximum length of a host as sent. Soft hyphens and combining marks can make it longer than 253. */
const maxTypedHostLength = 1024;

// The limit of one label, after NFC. Converting a label to ASCII takes quadratic time.
const maxMappedLabelLength = 2 * maxLabelLength;

/**
 * UTS-46 as browsers apply it: non-transitional, so that `faß.de` is not `fass.de`; with the bidi and joiner rules;
 * with hyphens in the third and fourth place, because names such as `r3---sn.example.com` exist. Stricter in one point:
 * only letters, digits and hyphens are allowed. An underscore is legal in DNS but not in the name of a host, and no
 * registry sells one. Lengths and outer hyphens are checked below, with their own error texts.
 */
const idnaOptions = {
  checkHyphens: false,
  checkBidi: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
} as const;

const plainAscii = /^(?!.*xn--)[a-z0-9.-]+$/i;

/**
 * Hosts for which Node's own conversion gives the same as tr46, in a tenth of the time: letters of Latin, Greek, Cyrillic, kana, Han and
 * Hangul that no version of Unicode since 5.2 maps differently. Node refuses some of them, and accepts hosts in other scripts that mix
 * directions. So all others, and those that Node refuses, are left to tr46, whose version of Unicode does not depend on Node's.
 */
const nativeHost =
  /^(?!.*xn--)[a-z0-9.\u00c0-\u024f\u0370-\u03ff\u0400-\u052f\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4db5\u4e00-\u9fa5\uac00-\ud7a3-]+$/i;

// URL parsers read every host whose last label is a number as an IPv4 address: 127.1, 0x7f.1 and 10.0.0.08 too.
const numericLabel = /^(?:\d+|0x[\da-f]*)$/;

const lengthMessage = `must have at most ${maxDomainLength} characters (in its ASCII form)`;

const labelMessage = `must have parts of at most ${maxLabelLength} characters (in their ASCII form)`;

// The characters that UTS-46 maps to a full stop.
const dots = /[.\u3002\uff0e\uff61]/;

// As many as there are before at least two labels.
const leadingWww = /^(?:www\.)+(?=.*\.)/;

const ipMessage = 'must not be an IP address: send a domain such as acme.com';

/** The error for an IP address. The parsers of domains and emails, which recognise IPv6 addresses, use it too. */
export const refuseIpAddress = (): { readonly ok: false; readonly message: string } => fail(ipMessage);

/** The Unicode form of an ASCII host, for display: `xn--mller-kva.de` gives `müller.de`. */
export const hostToUnicode = (asciiHost: string): string =>
  asciiHost.includes('xn--') ? decodeHost(asciiHost) : asciiHost;

/** Node leaves labels as they are if it does not know their characters, and returns nothing for hosts that it refuses. */
const decodeHost = (asciiHost: string): string => {
  const decoded = domainToUnicode(asciiHost);
  return decoded === '' || decoded.includes('xn--') ? toUnicode(asciiHost, idnaOptions).domain : decoded;
};

/**
 * The domain of the account that a host belongs to: the host without leading `www.`, of which at least two labels remain. All of them go,
 * so that a domain that was read is normalized to itself. Web addresses and emails share this rule, so that every account can be found by
 * its displayed domain.
 *
 * `www.acme.com` → `acme.com`, `www.com` → `www.com`, `www.www.com` → `www.com`, `www.www.acme.com` → `acme.com`
 * @param asciiHost a host as {@link hostToAscii} gives it
 */
export const accountDomainOfHost = (asciiHost: string): string => asciiHost.replace(leadingWww, '');

/**
 * The UTS-46 ASCII form of a bare host, without a trailing dot: lower case, at least two labels of letters, digits and
 * hyphens, 1 to 63 octets each and at most 253 in all. Rejects everything else, including IPv4 addresses in every
 * spelling.
 */
export const hostToAscii = (host: string): Result<string> => {
  if (host === '') return fail('must not be empty: send a domain such as acme.com');
  if (/\s/u.test(host)) return fail('must not contain spaces: remove them');
  if (host.length > maxTypedHostLength) return fail(lengthMessage);
  if (host.includes('_')) return fail('must not contain underscores: use letters, digits, hyphens and dots');
  const composed = host.normalize('NFC');
  if (composed.split(dots).some((label) => label.length > maxMappedLabelLength)) return fail(labelMessage);
  const mapped = mapToAscii(composed);
  if (mapped === null) {
    return fail('must be a domain: use letters, digits and hyphens with dots between them, as in acme.com');
  }
  // Only after the mapping, because it turns the ideographic and full-width full stops into dots.
  const ascii = mapped.endsWith('.') ? mapped.slice(0, -1) : mapped;
  const message = findHostFault(ascii);
  return message === null ? ok(ascii) : fail(message);
};

/** The mapping of UTS-46. For plain ASCII it is lower-casing. tr46 looks up every letter twice and takes 26 to 200 µs per host. */
const mapToAscii = (host: string): string | null => {
  if (plainAscii.test(host)) return host.toLowerCase();
  const native = nativeHost.test(host) ? domainToASCII(host) : '';
  return native === '' ? toASCII(host, idnaOptions) : native;
};

const findHostFault = (ascii: string): string | null => {
  const labels = ascii.split('.');
  if (labels.includes('')) return 'has an empty part: write single dots between its parts, as in acme.com';
  if (numericLabel.test(labels.at(-1) ?? '')) return ipMessage;
  if (labels.length < 2) return 'must have at least two parts, as in acme.com';
  if (labels.some((label) => label.length > maxLabelLength)) return labelMessage;
  if (ascii.length > maxDomainLength) return lengthMessage;
  // Checks the Unicode form: in the ASCII form of a label such as `-ü` the prefix `xn--` comes before the hyphen.
  if (
    hostToUnicode(ascii)
      .split('.')
      .some((label) => label.startsWith('-') || label.endsWith('-'))
  ) {
    return 'must not have a part that begins or ends with a hyphen';
  }
  return null;
};
