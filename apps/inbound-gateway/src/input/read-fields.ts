import {
  amountLimits,
  checkDecimal,
  codePointLength,
  type ErrorCollector,
  fail,
  findTextFault,
  normalizeDomain,
  type NormalizedEmail,
  normalizeEmail,
  normalizeName,
  normalizeOptionalName,
  ok,
  parseAccountWebsite,
  parseCurrencyCode,
  parseDealDate,
  parsePhone,
  type Result,
} from '@crm/domain';

/** A value of a body: undefined if not sent, null to clear. */
export type Sent<T> = T | null | undefined;

type Parse<In, Out> = (input: In) => Result<Out>;

/**
 * Creates a reader of one value. Undefined and null stay as they are. A fault becomes an error on `path` and reads as
 * undefined.
 */
const read =
  <In, Out>(parse: Parse<In, Out>) =>
  (input: Sent<In>, path: string, errors: ErrorCollector): Sent<Out> => {
    if (input === undefined) return undefined;
    if (input === null) return null;
    const result = parse(input);
    if (result.ok) return result.value;
    errors.add(path, result.message);
    return undefined;
  };

/** Creates a reader of a list; errors are on the item, as `path[3]`. */
const readList =
  <Out>(parse: Parse<string, Out>) =>
  (input: Sent<readonly string[]>, path: string, errors: ErrorCollector): Sent<Out[]> => {
    if (input === undefined || input === null) return input;
    return input.flatMap((item, index) => read(parse)(item, `${path}[${index}]`, errors) ?? []);
  };

const parseDomain = (input: string): Result<string> => {
  const result = normalizeDomain(input);
  return result.ok ? ok(result.value.domain) : result;
};

/** Reads one email. */
export const readEmail = read(normalizeEmail);

/** Reads a list of emails. */
export const readEmails = readList<NormalizedEmail>(normalizeEmail);

/** Reads one company domain. */
export const readDomain = read(parseDomain);

/** Reads a list of company domains. */
export const readDomains = readList(parseDomain);

/** Reads a deal's size: at most 15 digits, at most four of them decimals, never rounded. */
export const readAmount = read((input: number) => checkDecimal(input, amountLimits));

/** Reads the code of a deal's currency. */
export const readCurrency = read<string, string>(parseCurrencyCode);

/** Reads a date of a deal in Unix milliseconds. */
export const readEpochMs = read(parseDealDate);

/** Reads a free text and keeps it as sent; blank text becomes null. */
export const readText = (input: Sent<string>, path: string, maxLength: number, errors: ErrorCollector): Sent<string> =>
  read((text: string): Result<string | null> => {
    if (text.trim() === '') return ok(null);
    const isLong = codePointLength(text) > maxLength;
    const fault = isLong ? `must have at most ${maxLength} characters` : findTextFault(text);
    return fault === null ? ok(text) : fail(fault);
  })(input, path, errors);

/** Reads an optional name or title: trimmed and NFC; a blank one becomes null. */
export const readName = read(normalizeOptionalName);

/** Reads a required name: trimmed and NFC; a blank one is an error. */
export const readRequiredName = read(normalizeName);

/** Reads an id of another system: trimmed and NFC, case kept; a blank one becomes null. */
export const readExternalId = read(normalizeOptionalName);

/** Adds an error if a create has neither the field of its natural key nor an external id: one of them must identify the record. */
export const requireKey = (
  [path, key]: readonly [string, unknown],
  externalId: string | undefined,
  errors: ErrorCollector,
): void => {
  if ((key === undefined || key === null) && externalId === undefined) errors.add(path, 'is required');
};

const orBlank =
  (parse: Parse<string, string>): Parse<string, string | null> =>
  (text) =>
    text.trim() === '' ? ok(null) : parse(text);

/** Reads a phone number: `+…` as E.164, others as given; a blank one becomes null. */
export const readPhone = read(orBlank(parsePhone));

/** Reads the website of an account: a host or a URL; a blank one becomes null. */
export const readWebsite = read(orBlank(parseAccountWebsite));
