import { normalizeEmail } from '../../natural-key/email.js';
import { fail, okWithParts, type Result, type StoredPart } from '../../result.js';
import type { CustomValueReferences } from '../custom-value.js';
import type { CustomFieldDefinition } from '../definition.js';
import { echo, maxTeamMembers } from './bounds.js';

// Emails are looked up in normalized form, ids in lower case. Any other text is looked up too and matches no
// member.
const lookUpKey = (text: string): string => {
  const email = text.includes('@') ? normalizeEmail(text) : null;
  return email?.ok === true ? email.value.email : text.trim().toLowerCase();
};

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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
    const key = lookUpKey(entry);
    const id = references.findMemberId(key);
    if (id === undefined) {
      const message = `entry ${index}: "${echo(entry)}" is not a member of the organization`;
      if (!uuidPattern.test(key)) return fail(message);
      deleted.push({ part: key, message });
    }
    ids.add(id ?? key);
  }
  return okWithParts([...ids], deleted);
};
