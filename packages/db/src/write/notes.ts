import type { NormalizedEmail } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import { relatedSeeds } from './related.js';
import { normalizeOrNull } from './stored-values.js';
import type { UpdateTarget, Write, WrittenRecord } from './write.js';

/** A note to be created on accounts, contacts and opportunities. */
export interface NewNote {
  readonly title: string | null;
  readonly content: string | null;
  readonly accountDomains: readonly string[];
  readonly contactEmails: readonly NormalizedEmail[];
  /** Of opportunities that exist; none when absent. */
  readonly opportunityIds?: readonly string[];
}

/** What the create of a note answers. */
export interface CreatedNote {
  readonly id: string;
  readonly title: string | null;
  readonly content: string | null;
}

/**
 * Creates a note, and the accounts and contacts that it names where they do not exist.
 * @throws Failure `unknown_opportunities`
 */
export const noteCreate = (setup: OrganizationSetup, note: NewNote): Write<CreatedNote> => ({
  function: 'create_note',
  input: {
    ...relatedSeeds(setup, note.accountDomains, note.contactEmails),
    account_domains: [...new Set(note.accountDomains)],
    contact_emails: [...new Set(note.contactEmails.map(({ email }) => email))],
    opportunity_ids: note.opportunityIds ?? [],
    title: note.title,
    content: note.content,
    normalized: { title: normalizeOrNull(note.title), content: normalizeOrNull(note.content) },
  },
});

/** What changes of a note: absent keeps, null clears. */
export interface NoteChange {
  readonly title?: string | null | undefined;
  readonly content?: string | null | undefined;
}

/**
 * Changes the texts of a note.
 * @throws Failure `empty_note`
 */
export const noteUpdate = ({ id, version }: UpdateTarget, { title, content }: NoteChange): Write<WrittenRecord> => ({
  function: 'update_note',
  input: {
    ...{ id, version, set: { title, content } },
    normalized: { title: normalizeOrNull(title ?? null), content: normalizeOrNull(content ?? null) },
  },
});
