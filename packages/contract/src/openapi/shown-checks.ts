import { amountLimits, optionColors } from '@crm/domain';
import type { CheckName } from '../validate/checks.js';
import type { JsonSchema } from '../validate/schema-walk.js';

/** Characters that are trimmed at the edges of a text, and others that are no printable ASCII. */
const edge = '[^!-~]*';
/** A character of a host, before it is converted to ASCII. */
const hostCharacter = '([0-9A-Za-z.-]|[^\\x00-\\x7f])';
/** The full stop, and those that become one in a host. */
const dot = '[.。．｡]';
const anything = '[\\s\\S]*';

/** A text with a visible character. The pattern matches all of it, because some generated clients ask for a full match. */
export const visibleText = `^${anything}\\S${anything}$`;

const maxAmount = 10 ** amountLimits.maxDigits - 1;

/** An instant or a day as a date of a deal takes it. */
export const dealDateText =
  '^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?([Zz]|[+-][0-9]{2}(:?[0-9]{2})?))?$';

/**
 * What a document can say of a rule of `domain`. It refuses no value that the rule accepts; what it cannot refuse is in the
 * test of the documents. Checks without an entry have their own `x-document`, or refuse no text.
 */
export const shownChecks: Readonly<Partial<Record<CheckName, JsonSchema>>> = {
  amount: { minimum: -maxAmount, maximum: maxAmount },
  color: { pattern: `^(${optionColors.join('|')}|#[0-9a-fA-F]{6})$` },
  currencyCode: { pattern: '^[A-Z]{3}$' },
  domain: { minLength: 3, pattern: `^${anything}${dot}${anything}$` },
  email: { minLength: 5, pattern: `^${edge}[!-;=?A-~]{1,64}@${hostCharacter}*${dot}${hostCharacter}*${edge}$` },
  requiredName: { minLength: 1, pattern: visibleText },
  slug: { minLength: 1, pattern: '^[a-z][a-z0-9_]{0,62}$' },
  // Blank text clears the field.
  website: { pattern: `^(${edge}|${anything}(${dot}|://)${anything})$` },
};
