import { CrmApiError, CrmConnectionError, CrmNotFoundError, CrmUnauthorizedError, CrmVersionError } from '@crm/client';

/** A call that a tool refuses. Its faults name the arguments by dotted path, and what would be allowed. */
export class ToolError extends Error {
  constructor(
    message: string,
    readonly faults: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** The error of a call with wrong arguments. */
export const invalid = (faults: Readonly<Record<string, string>>): ToolError =>
  new ToolError('The arguments are not valid.', faults);

/** The text for a key that the gateways refuse. They do not say why. */
export const invalidKeyText =
  'The API key is not valid: it is unknown, revoked or expired. Or it lacks the group list, which every assistant needs.';

/** The paths of request bodies and the arguments that they come from. */
const argumentNames: readonly (readonly [RegExp, string])[] = [
  [/^filters\[\d+\]\.or\[/, 'any_of['],
  [/\.value\[/, '.values['],
  [/^sort\[\d+\](\.\w+)?$/, 'sort'],
  [/^after$/, 'after_position'],
  [/^related_objects\.primary_contact_|^primary_contact\./, 'contact_'],
  [/^related_objects\.opportunity_ids/, 'deal_ids'],
  [/^(opportunity|related_objects|note)\./, ''],
  [/^deal_size$/, 'amount'],
  [/^stage_id$/, 'stage_name'],
  [/^pipeline_id$/, 'pipeline_name'],
];

/** The argument for a path of the API: `opportunity.deal_size` → `amount`. */
export const argumentPath = (path: string): string =>
  argumentNames.reduce((name, [pattern, replacement]) => name.replace(pattern, replacement), path);

const maxFaults = 20;
const maxAllowed = 40;

/** A list of allowed values for an error text, cut if it is long. */
export const allowedText = (values: readonly string[]): string => {
  const more = values.length - maxAllowed;
  return `allowed: ${values.slice(0, maxAllowed).join(', ')}${more > 0 ? ` and ${more} more: see describe_crm` : ''}`;
};

/**
 * Whether an error leaves open if the gateway did what it was asked to: there was no answer, or one of a proxy, or of a gateway that lost
 * its database. A timeout of a statement has undone it.
 */
const isLost = (error: unknown): boolean =>
  error instanceof CrmConnectionError ||
  (error instanceof CrmApiError && error.status >= 500 && error.code !== 'timeout' && error.retryAfterMs === null);

/** Waits for a write that must not be repeated blindly. @throws ToolError that says that it may have been made, if its answer was lost */
export const orMayBeMade = async <T>(write: Promise<T>, what: string): Promise<T> => {
  try {
    return await write;
  } catch (error) {
    if (!isLost(error)) throw error;
    const reason = (error as Error).message;
    throw new ToolError(`${reason}. ${what} may have been made: read the record again before you repeat the call.`);
  }
};

/** Says what is wrong and what the caller can do. The client appends the fields to its messages; they are faults here. */
const messageOf = (error: CrmApiError): string => {
  if (error instanceof CrmUnauthorizedError) return invalidKeyText;
  if (error instanceof CrmVersionError)
    return 'The record has changed since this version. Read it again, then decide whether to change it.';
  const message = Object.entries(error.errors).reduce(
    (rest, [path, reason]) => rest.replace(`; ${path}: ${reason}`, ''),
    error.message,
  );
  const { conflict, counts, retryAfterMs } = error;
  if (error instanceof CrmNotFoundError && error.mergedInto !== undefined)
    return `The record was merged into ${error.mergedInto}: use that id.`;
  if (conflict !== undefined) return `${message.replace(conflict.field, argumentPath(conflict.field))}.`;
  if (counts !== undefined) return `${message}. It still has records: ${JSON.stringify(counts)}.`;
  return retryAfterMs === null ? `${message}.` : `${message}. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
};

/** Translates an error of the API into the words of the tools. Returns null for an error that is a fault of this program. */
export const toToolError = (error: unknown): ToolError | null => {
  if (error instanceof ToolError) return error;
  if (error instanceof CrmConnectionError)
    return new ToolError(`${error.message}. Repeating the call is safe: nothing is written twice.`);
  if (!(error instanceof CrmApiError)) return null;
  const faults: Record<string, string> = {};
  for (const [path, reason] of Object.entries(error.errors)) {
    const text = reason.startsWith('unknown field') ? `${reason}; describe_crm lists the fields` : reason;
    const name = argumentPath(path);
    // Several paths can come from one argument: `sort` is one text.
    faults[name] = faults[name] === undefined ? text : `${faults[name]}; ${text}`;
  }
  return new ToolError(messageOf(error), faults);
};

/** The text of an error: one line for each argument. */
export const errorText = ({ message, faults }: ToolError): string => {
  const lines = Object.entries(faults).map(([path, reason]) => `${path}: ${reason}`);
  return [message, ...lines.slice(0, maxFaults)].join('\n');
};
