import { fail, ok, type Result } from '../result.js';
import { codePointLength, findTextFault, trimText } from '../text.js';
import { accountDomainOfHost, hostToAscii } from './host.js';

/** An email address in the form in which it is stored and compared: a contact's natural key. */
export interface NormalizedEmail {
  /** Lower-case ASCII, at most 254 octets: `ann+crm@xn--mller-kva.de`. */
  readonly email: string;
  /** The domain of the contact's account: the part after the `@`, without a leading `www.`. */
  readonly domain: string;
}

/**
 * The maximum length of an email address: RFC 5321's 256 octets minus angle brackets. It holds for the text as sent, as for all
 * texts, and for the normalized form.
 */
export const maxEmailLength = 254;

const maxLocalPartLength = 64;

const lengthMessage = `must have at most ${maxEmailLength} characters`;

const dotAtom = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;

/**
 * The natural key of a contact, from one bare address. Trims it, lower-cases the whole address, and converts
 * its domain to UTS-46 ASCII without a trailing dot. Plus-tags and dots stay, because they may distinguish people.
 * Rejects display names, spaces, control characters, quoted or non-ASCII local parts, IP addresses and overlong
 * addresses. Normalizing twice gives the same result.
 */
export const normalizeEmail = (input: string): Result<NormalizedEmail> => {
  if (codePointLength(input) > maxEmailLength) return fail(lengthMessage);
  const typed = trimText(input);
  const fault = findTextFault(typed);
  if (fault !== null) return fail(fault);
  const text = typed.normalize('NFC');
  if (text === '') return fail('must not be empty: send an address such as ann@acme.com');
  if (/[<>]/.test(text))
    return fail('must be a bare address without a display name or angle brackets, as in ann@acme.com');
  if (/[\s\p{Cc}]/u.test(text)) return fail('must not contain spaces or control characters');
  const at = text.lastIndexOf('@');
  if (at === -1) return fail('must contain an @, as in ann@acme.com');
  const local = text.slice(0, at).toLowerCase();
  const localFault = findLocalPartFault(local);
  if (localFault !== null) return fail(localFault);
  const host = hostToAscii(text.slice(at + 1));
  if (!host.ok) return host;
  const email = `${local}@${host.value}`;
  if (email.length > maxEmailLength) return fail(`${lengthMessage} (in its ASCII form)`);
  return ok({ email, domain: accountDomainOfHost(host.value) });
};

const findLocalPartFault = (local: string): string | null => {
  if (local === '') return 'must have a part before the @, as in ann@acme.com';
  if (local.includes('@')) return 'must contain a single @, as in ann@acme.com';
  if (local.length > maxLocalPartLength) {
    return `must have at most ${maxLocalPartLength} characters before the @`;
  }
  if (dotAtom.test(local)) return null;
  return "must have before the @ only ASCII letters, digits, single dots between them and !#$%&'*+/=?^_`{|}~-";
};

/** The domain of the account of a contact with this normalized email. */
export const accountDomainOfEmail = (email: string): string =>
  accountDomainOfHost(email.slice(email.lastIndexOf('@') + 1));
