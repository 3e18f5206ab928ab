import {
  amountLimits,
  checkDecimal,
  codePointLength,
  type ErrorCollector,
  findTextFault,
  isEpochMs,
  normalizeDomain,
  type NormalizedEmail,
  normalizeEmail,
  normalizeOptionalName,
  parsePhone,
  parseWebsite,
  type Result,
} from '@crm/domain';

/** Null and absent mean the same in the body of a create. */
type Sent<T> = T | null | undefined;

const read =
  <In, Out>(parse: (input: In) => Result<Out>) =>
  (input: Sent<In>, path: string, errors: ErrorCollector): Out | null => {
    if (input === undefined || input === null) return null;
    const result = parse(input);
    if (result.ok) return result.value;
    errors.add(path, result.message);
    return null;
  };

/** Reads one email; a fault is noted on `path`. */
export const readEmail = read(normalizeEmail);

const readNormalizedDomain = read(normalizeDomain);

/** Reads one company domain; a fault is noted on `path`. */
export const readDomain = (input: Sent<string>, path: string, errors: ErrorCollector): string | null =>
  readNormalizedDomain(input, path, errors)?.domain ?? null;

/** Reads a list of emails; a fault is noted on its item, as `path[3]`. */
export const readEmails = (input: Sent<readonly string[]>, path: string, errors: ErrorCollector): NormalizedEmail[] =>
  (input ?? []).flatMap((item, index) => readEmail(item, `${path}[${index}]`, errors) ?? []);

/** Reads a list of company domains; a fault is noted on its item. */
export const readDomains = (input: Sent<readonly string[]>, path: string, errors: ErrorCollector): string[] =>
  (input ?? []).flatMap((item, index) => readDomain(item, `${path}[${index}]`, errors) ?? []);

/** Reads a deal's size: at most 15 digits, four of them decimals, never rounded. */
export const readAmount = read((input: number) => checkDecimal(input, amountLimits));

/** Below this, a count of milliseconds is within three years of 1970: whoever sends it means seconds. */
const leastPlausibleMs = 100_000_000_000;

/** Reads a date of a deal in Unix milliseconds; a number that can only be meant as seconds is refused. */
export const readEpochMs = read((input: number): Result<number> => {
  if (Number.isInteger(input) && Math.abs(input) < leastPlausibleMs) {
    return { ok: false, message: 'looks like seconds: send Unix milliseconds' };
  }
  if (isEpochMs(input)) return { ok: true, value: input };
  return { ok: false, message: 'must be a whole number of Unix milliseconds, up to 253402300799999' };
});

/** Reads a free text: kept as sent, except that blank text is no text. */
export const readText = (
  input: Sent<string>,
  path: string,
  maxLength: number,
  errors: ErrorCollector,
): string | null => {
  if (input === undefined || input === null || input.trim() === '') return null;
  const fault = codePointLength(input) > maxLength ? `must have at most ${maxLength} characters` : findTextFault(input);
  if (fault === null) return input;
  errors.add(path, fault);
  return null;
};

/** Reads a name or title that may be absent: trimmed and NFC; a blank one is none. */
export const readName = read(normalizeOptionalName);

/** Reads a phone number: `+…` as E.164, others as given. */
export const readPhone = read(parsePhone);

/** Reads a website: a host or a URL. */
export const readWebsite = read(parseWebsite);
