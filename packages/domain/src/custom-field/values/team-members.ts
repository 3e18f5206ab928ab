import { normalizeEmail } from '../../natural-key/email.js';
import { trimText } from '../../text.js';
import { fail, ok, okIfStored, okWithParts, type Result, type StoredPart } from '../../result.js';
import type { CustomValueReferences } from '../custom-value.js';
import type { CustomFieldDefinition } from '../definition.js';
import { echo, maxTeamMembers } from './bounds.js';

// Emails are looked up in normalized form, ids in lower case. Any other text is looked up too and matches no
// member.
const lookUpKey = (text: string): string => {
  const email = text.includes('@') ? normalizeEmail(text) : null;
  return email?.ok === true ? email.value.email : trimText(text).toLowerCase();
};

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The id of the member that a text names by id or email. An id of no member may be that of a deleted one. */
export const readMemberId = (text: string, references: CustomValueReferences): Result<string> => {
  const key = lookUpKey(text);
  const id = references.findMemberId(key);
  if (id !== undefined) return ok(id);
  const message = `"${echo(text)}" is not a member of the organization`;
  return uuidPattern.test(key) ? okIfStored(key, message) : fail(message);
};

/**
 * Reads `team_members`: an array of member ids or emails; stored as ids in the order sent, each once. A record keeps
 * the ids of deleted members.
 */
export const parseTeamMembers = (
  input: unknown,
  _definition: CustomFieldDefinition,
  references: CustomValueReferences,
): Result<readonly string[]> => {
  if (!Array.isArray(input)) return fail('must be an array of member ids or emails');
  if (input.length > maxTeamMembers) return fail(`must have at most ${maxTeamMembers} members`);
  const ids = new Set<string>();
  const deleted: StoredPart[] = [];
  for (const [index, entry] of (input as readonly unknown[]).entries()) {
    if (typeof entry !== 'string') return fail(`entry ${index}: must be a member id or email`);
    const member = readMemberId(entry, references);
    if (!member.ok) return fail(`entry ${index}: ${member.message}`);
    if (member.ifStored !== undefined)
      deleted.push({ ...member.ifStored, message: `entry ${index}: ${member.ifStored.message}` });
    ids.add(member.value);
  }
  return okWithParts([...ids], deleted);
};
