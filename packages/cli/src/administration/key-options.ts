import { InvalidArgumentError } from 'commander';

/** Groups of operations that a key can allow. */
export const operationGroups = ['list', 'search', 'inbound', 'bulk', 'delete', 'setup'] as const;

/** The groups of a key without `--allow`: all except `delete` and `setup`. */
export const defaultOperations: readonly string[] = ['list', 'search', 'inbound', 'bulk'];

/** Groups with their own rate limit. The groups `delete` and `setup` count as `inbound`. */
const limitGroups = ['list', 'search', 'inbound', 'bulk'];
const operationPattern = new RegExp(
  `^((list|search|summarize|get|create|update|delete|merge|bulkCreate|bulkUpdate)(${[
    'Opportunit(y|ies)|Accounts?|Contacts?|Notes?',
    '(Opportunity|Account|Contact)(Fields|History|Duplicates)|AccountByDomain|ContactByEmail',
    'Pipelines?|PipelineStages|Stage|Members?|Field|FieldOption|Events|LatestPosition',
  ].join('|')})|restoreRecord)$`,
);

/** Reads `--allow list,search,createNote`. */
export const allowedOperations = (text: string, before: readonly string[] = []): readonly string[] => {
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (operationGroups.some((group) => group === name) || operationPattern.test(name)) continue;
    throw new InvalidArgumentError(`"${name}" is neither a group (${operationGroups.join(', ')}) nor an operation.`);
  }
  return [...new Set([...before, ...names])];
};

const readLimits = <Amount>(
  text: string,
  before: Readonly<Record<string, number | Amount>>,
  words: Readonly<Record<string, Amount>>,
): Readonly<Record<string, number | Amount>> => {
  const limits: Record<string, number | Amount> = { ...before };
  for (const entry of text.split(',')) {
    const [group = '', amount = ''] = entry.trim().split('=');
    const word = Object.hasOwn(words, amount) ? words[amount] : undefined;
    if (!limitGroups.includes(group) || (word === undefined && !/^\d{1,9}$/.test(amount))) {
      throw new InvalidArgumentError(
        `"${entry}" is not GROUP=REQUESTS_A_MINUTE; groups are ${limitGroups.join(', ')}.`,
      );
    }
    limits[group] = word === undefined ? Number(amount) : word;
  }
  return limits;
};

/** Reads `--limit list=5,search=5`: requests a minute. */
export const requestLimits = (
  text: string,
  before: Readonly<Record<string, number>> = {},
): Readonly<Record<string, number>> => readLimits<never>(text, before, {});

/**
 * Reads `list=5,search=default`: requests a minute of an organization. `default` gives null, which removes the
 * organization's own limit for the group.
 */
export const organizationLimits = (text: string): Readonly<Record<string, number | null>> =>
  readLimits<null>(text, {}, { default: null });
