import { fail, ok, type Result } from '../result.js';
import { findTextFault, trimText } from '../text.js';
import { accountDomainOfHost, hostToAscii, hostToUnicode, refuseIpAddress } from './host.js';

/** A company's domain: the natural key of its account, and its form for display. */
export interface NormalizedDomain {
  /** UTS-46 ASCII form, lower case: `xn--mller-kva.de`. */
  readonly domain: string;
  /** Unicode form: `müller.de`. For most domains it equals `domain`. */
  readonly display: string;
}

const scheme = /^(?:[a-z][a-z0-9+.-]*:)?\/\//i;
const port = /:\d{0,5}$/;
const ipv6 = /^\[|^[\da-f.]*:[\da-f.]*:[\da-f:.]*$/i;

/**
 * The natural key of an account, from a domain or a web address as people paste it. Drops the scheme, userinfo, port,
 * path, query, fragment, trailing dot and a leading `www.`, as {@link accountDomainOfHost} says. Converts the rest to UTS-46 ASCII.
 * Other subdomains stay distinct. Rejects IP addresses, single labels and more than 253 octets. Normalizing twice gives the same result.
 */
export const normalizeDomain = (input: string): Result<NormalizedDomain> => {
  const fault = findTextFault(input);
  if (fault !== null) return fail(fault);
  const authority = authorityOf(trimText(input));
  // Browsers read `\` as `/`. Other programs read it as part of the userinfo and so see another host.
  if (authority.includes('\\')) return fail('must not contain a backslash: send a domain such as acme.com');
  const hostAndPort = authority.slice(authority.lastIndexOf('@') + 1);
  if (ipv6.test(hostAndPort)) return refuseIpAddress();
  const host = hostToAscii(hostAndPort.replace(port, ''));
  if (!host.ok) return host;
  const domain = accountDomainOfHost(host.value);
  return ok({ domain, display: hostToUnicode(domain) });
};

const authorityOf = (text: string): string => {
  const rest = text.replace(scheme, '');
  const end = rest.search(/[/?#]/);
  return end === -1 ? rest : rest.slice(0, end);
};
