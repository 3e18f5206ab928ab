import {
  amountLimits,
  checkDecimal,
  codePointLength,
  ErrorCollector,
  normalizeDomain,
  normalizeEmail,
  normalizeName,
  parseAccountWebsite,
  parseColor,
  parseCurrencyCode,
  parseDealDate,
  parseLimit,
  parsePhone,
  parsePosition,
  parseSearchQuery,
  parseWait,
  parseSlug,
  type Result,
} from '@crm/domain';
import type { Ajv2020, ErrorObject, FuncKeywordDefinition } from 'ajv/dist/2020.js';

/** Turns a parser that adds its errors to a collector into a check that returns a `Result`. */
const collected =
  (parse: (value: string, errors: ErrorCollector) => unknown) =>
  (value: string): Result<unknown> => {
    const errors = new ErrorCollector();
    parse(value, errors);
    const [message] = Object.values(errors.fieldErrors);
    return message === undefined ? { ok: true, value } : { ok: false, message };
  };

/** The rules of `domain` for a single text, by the name that schemas use in `x-check`. */
const textChecks = {
  color: parseColor,
  currencyCode: parseCurrencyCode,
  domain: normalizeDomain,
  email: normalizeEmail,
  limit: collected(parseLimit),
  name: normalizeName,
  phone: parsePhone,
  position: collected((value, errors) => parsePosition('after', value, errors)),
  slug: parseSlug,
  q: collected((value, errors) => parseSearchQuery(value, 'q', errors)),
  wait: collected(parseWait),
  website: parseAccountWebsite,
} satisfies Readonly<Record<string, (value: string) => Result<unknown>>>;

/** The rules for numbers. */
const numberChecks = {
  amount: (value: number) => checkDecimal(value, amountLimits),
  dealDate: parseDealDate,
} satisfies Readonly<Record<string, (value: number) => Result<unknown>>>;

/** The name of a rule of `domain` in a schema. */
export type CheckName = keyof typeof textChecks | keyof typeof numberChecks;

/** Accepts a value of another type than the rule's: the schema itself refuses it. */
const check = (name: string, value: unknown): Result<unknown> => {
  if (typeof value === 'string' && name in textChecks) return textChecks[name as keyof typeof textChecks](value);
  if (typeof value === 'number' && name in numberChecks) return numberChecks[name as keyof typeof numberChecks](value);
  return { ok: true, value };
};

/** Whether a text is refused for its length anyway. Checking its other rules would only cost time. */
const isTooLong = (value: unknown, schema: Readonly<Record<string, unknown>> = {}): boolean =>
  typeof value === 'string' && typeof schema['maxLength'] === 'number' && codePointLength(value) > schema['maxLength'];

/** The function that ajv calls for a keyword. ajv reads the errors of the last call from the function. */
interface KeywordFunction {
  (name: string, value: unknown, schema?: Readonly<Record<string, unknown>>): boolean;
  errors?: Partial<ErrorObject>[];
}

const validateCheck: KeywordFunction = (name, value, schema) => {
  if (isTooLong(value, schema)) return true;
  const result = check(name, value);
  if (result.ok) return true;
  validateCheck.errors = [{ keyword: 'x-check', message: result.message, params: {} }];
  return false;
};

/**
 * Adds `x-check` to a validator, so that an invalid email and an invalid UUID, for example, are reported together. It only reports
 * early: the handlers check every value against these rules anyway.
 */
export const addChecks = (ajv: Ajv2020): void => {
  const keyword: FuncKeywordDefinition = {
    keyword: 'x-check',
    type: ['string', 'number'],
    schemaType: 'string',
    errors: true,
    validate: validateCheck,
  };
  ajv.addKeyword(keyword);
};
