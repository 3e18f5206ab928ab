import { normalizeDomain } from '../../natural-key/domain.js';
import { fail, ok } from '../../result.js';
import { codePointLength } from '../../text.js';
import { toUrl } from '../../to-url.js';
import { maxAccountWebsiteLength, maxStringLength } from './bounds.js';
import { parseTrimmedText } from './text.js';
// Length limit of user, host and port. Parsing a far longer host would take milliseconds.
const maxAuthorityLength = 2_048;
const absolutePattern = new RegExp(`^https?://[^/\\\\?#]{1,${maxAuthorityLength}}(?:[/?#]|$)`, 'i');
const schemePattern = /^[a-z][a-z0-9+.-]*:\/\//i;
// The URL parser silently drops tabs and line breaks and reads a backslash as a slash. Such text is rejected instead.
const alteredCharacters = /[\s\\\u0000-\u001f\u007f]/;
const parseAbsolute = (text) => {
    if (alteredCharacters.test(text))
        return fail('must not contain white space, backslashes or control characters');
    const url = absolutePattern.test(text) ? toUrl(text) : null;
    if (url === null)
        return fail('must be an absolute http or https URL');
    // Many people read a record. A password would leak, and a user name before the host can mislead readers about the
    // host.
    if (url.username !== '' || url.password !== '')
        return fail('must not contain a user name or password');
    return ok(url);
};
// Encoding makes a text longer. The encoded form must fit the limit too, so that a value that was read can be written
// back.
const bounded = (text, maxLength) => codePointLength(text) > maxLength ? fail(`must have at most ${maxLength} characters when encoded`) : ok(text);
const readUrl = (input, maxLength) => {
    const text = parseTrimmedText(input, maxLength);
    if (!text.ok)
        return text;
    const url = parseAbsolute(text.value);
    return url.ok ? bounded(url.value.href, maxLength) : url;
};
const readWebsite = (input, maxLength) => {
    const text = parseTrimmedText(input, maxLength);
    if (!text.ok)
        return text;
    if (schemePattern.test(text.value))
        return readUrl(text.value, maxLength);
    const url = parseAbsolute(`https://${text.value}`);
    const host = url.ok ? url.value.hostname.replace(/\.$/, '') : '';
    if (!url.ok || !normalizeDomain(host).ok)
        return fail('must be a host name as example.com, or an http or https URL');
    const { port, pathname, search, hash } = url.value;
    const rest = `${pathname === '/' ? '' : pathname}${search}${hash}`;
    return bounded(`${host}${port === '' ? '' : `:${port}`}${rest}`, maxLength);
};
/** Reads a `url`: an absolute http or https address. It is stored as the WHATWG URL Standard serialises it. */
export const parseUrl = (input) => readUrl(input, maxStringLength);
/**
 * Reads a `website`. With a scheme it is read by {@link parseUrl}. Without one it is a host name, perhaps with a port
 * or path. It is then stored without a scheme, because its scheme is unknown.
 */
export const parseWebsite = (input) => readWebsite(input, maxStringLength);
/** Like {@link parseWebsite}, for the website of an account, which has its own length limit. */
export const parseAccountWebsite = (input) => readWebsite(input, maxAccountWebsiteLength);
//# sourceMappingURL=web-address.js.map