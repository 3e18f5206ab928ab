import {
  codePointLength,
  ErrorCollector,
  parseColor,
  parseLimit,
  parsePosition,
  parseSearchQuery,
  parseSlug,
  parseWait,
  type Result,
  valueReaders,
} from '@crm/domain';
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';

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
  currencyCode: valueReaders.currencyCode,
  dealDate: valueReaders.dealDate,
  domain: valueReaders.domain,
  email: valueReaders.email,
  limit: collected(parseLimit),
  phone: valueReaders.phone,
  position: collected((value, errors) => parsePosition('after', value, errors)),
  requiredName: valueReaders.requiredName,
  slug: parseSlug,
  q: collected((value, errors) => parseSearchQuery(value, 'q', errors)),
  wait: collected(parseWait),
  website: valueReaders.website,
} satisfies Readonly<Record<string, (value: string) => Result<unknown>>>;

/** The rules for numbers. */
const numberChecks = {
  amount: valueReaders.amount,
  dealDate: valueReaders.dealDate,
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

/**
 * Characters of one refused request whose rules are checked. Checking a body of nothing but international emails would block other
 * requests for a tenth of a second, only to find more errors.
 */
const maxCheckedCharacters = 10_000;
let leftCharacters = Infinity;

/** Runs a check that leaves out the rules of further texts after {@link maxCheckedCharacters}. */
export const checkBriefly = (check: () => unknown): void => {
  leftCharacters = maxCheckedCharacters;
  check();
  leftCharacters = Infinity;
};

const validateCheck: KeywordFunction = (name, value, schema) => {
  if (isTooLong(value, schema)) return true;
  if (typeof value === 'string') leftCharacters -= value.length;
  if (leftCharacters < 0) return true;
  const result = check(name, value);
  if (result.ok) return true;
  validateCheck.errors = [{ keyword: 'x-check', message: result.message, params: {} }];
  return false;
};

/**
 * Adds `x-check` to a validator. It only adds to the errors of input that is refused anyway: the handlers check every value against
 * these rules.
 */
export const addChecks = (ajv: Ajv2020): void => {
  ajv.addKeyword({
    keyword: 'x-check',
    type: ['string', 'number'],
    schemaType: 'string',
    errors: true,
    validate: validateCheck,
  });
};
