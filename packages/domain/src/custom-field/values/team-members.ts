import { normalizeEmail } from '../../natural-key/email.js';
import { fail, ok, type Result } from '../../result.js';
import type { CustomValueReferences } from '../custom-value.js';
import type { CustomFieldDefinition } from '../definition.js';
import { echo, maxTeamMembers } from './bounds.js';

// Emails are looked up in normalized form, ids in lower case. Any other text is looked up too and matches no
// member.
const lookUpKey = (text: string): string => {
  const email = text.includes('@') ? normalizeEmail(text) : null;
  return email?.ok === true ? email.value.email : text.trim().toLowerCase();
};

/** Reads `team_members`: an array of member ids or emails; stored as ids in the order sent, each once. */
export const parseTeamMembers = (
  input: unknown,
  _definition: CustomFieldDefinition,
  references: CustomValueReferences,
): Result<readonly string[]> => {
  if (!Array.isArray(input)) return fail('must be an array of member ids or emails');
  if (input.length > maxTeamMembers) return fail(`must have at most ${maxTeamMembers} members`);
  const ids = new Set<string>();
  for (const [index, entry] of (input as readonly unknown[]).entries()) {
    if (typeof entry !== 'string') return fail(`entry ${index}: must be a member id or email`);
    const id = references.findMemberId(lookUpKey(entry));
    if (id === undefined) return fail(`entry ${index}: "${echo(entry)}" is not a member of the organization`);
    ids.add(id);
  }
  return ok([...ids]);
};
