import { parseDealDate } from '../custom-field/calendar.js';
import { parseCurrencyCode } from '../custom-field/currency.js';
import { amountLimits, checkDecimal } from '../custom-field/decimal.js';
import { parsePhone } from '../custom-field/values/phone.js';
import { parseAccountWebsite } from '../custom-field/values/web-address.js';
import { normalizeDomain } from '../natural-key/domain.js';
import { normalizeEmail } from '../natural-key/email.js';
import { normalizeName, normalizeOptionalName } from '../natural-key/name.js';
import type { ErrorCollector } from '../errors.js';
import { fail, ok, type Result, type StoredPart } from '../result.js';
import type { Steps } from '../steps.js';
import { findTextFault, isBlank } from '../text.js';

/** Reads a free text and keeps it as sent; blank text becomes null. The schema of the body limits its length. */
const readText = (text: string): Result<string | null> => {
  if (isBlank(text)) return ok(null);
  const fault = findTextFault(text);
  return fault === null ? ok(text) : fail(fault);
};

const orBlank =
  (parse: (text: string) => Result<string>) =>
  (text: string): Result<string | null> =>
    isBlank(text) ? ok(null) : parse(text);

/** The readers of sent values. Each returns the value in its stored form, or the reason why it is refused. */
export const valueReaders = {
  /** An optional name, or an id of another system: trimmed and NFC; a blank one becomes null. */
  name: normalizeOptionalName,
  /** A required name: trimmed and NFC; a blank one is an error. */
  requiredName: normalizeName,
  text: readText,
  /** A host or a URL; a blank one becomes null. */
  website: orBlank(parseAccountWebsite),
  /** An international number as E.164, others as given; a blank one becomes null. */
  phone: orBlank(parsePhone),
  email: (text: string): Result<string> => {
    const email = normalizeEmail(text);
    return email.ok ? ok(email.value.email) : email;
  },
  domain: (text: string): Result<string> => {
    const domain = normalizeDomain(text);
    return domain.ok ? ok(domain.value.domain) : domain;
  },
  /** At most 15 digits, at most four of them decimals, never rounded. */
  amount: (value: number) => checkDecimal(value, amountLimits),
  currencyCode: (text: string): Result<string> => parseCurrencyCode(text),
  /** An instant as Unix milliseconds. */
  dealDate: parseDealDate,
} satisfies Readonly<Record<string, ((text: string) => Result<unknown>) | ((value: number) => Result<unknown>)>>;

/** The name of a reader. */
export type ValueReader = keyof typeof valueReaders;

/**
 * Reads one sent value with a parser. Undefined and null stay as they are. A fault becomes an error on `path` and reads as
 * undefined.
 * @param onCondition gets what the record must have already so that it may keep the value
 */
export const readSentWith = <In, Out>(
  read: (input: In) => Result<Out>,
  input: In | null | undefined,
  path: string,
  errors: ErrorCollector,
  onCondition?: (ifStored: StoredPart) => void,
): Out | null | undefined => {
  if (input === undefined) return undefined;
  if (input === null) return null;
  const result = read(input);
  if (result.ok && result.ifStored !== undefined) onCondition?.(result.ifStored);
  return errors.read(path, result);
};

type TextReader = Exclude<ValueReader, 'amount' | 'dealDate'>;

/** Reads a sent text; see {@link readSentWith}. */
export const readSent = (as: TextReader, input: string | null | undefined, path: string, errors: ErrorCollector) =>
  readSentWith<string, string | null>(valueReaders[as], input, path, errors);

/** Reads a list of sent texts, one in each step; errors are on the item, as `path[3]`. */
export function* readSentList(
  as: TextReader,
  input: readonly string[] | null | undefined,
  path: string,
  errors: ErrorCollector,
): Steps<string[] | null | undefined> {
  if (input === undefined || input === null) return input;
  const read: string[] = [];
  for (const [index, item] of input.entries()) {
    const value = readSent(as, item, `${path}[${index}]`, errors) ?? null;
    if (value !== null) read.push(value);
    yield;
  }
  return read;
}
