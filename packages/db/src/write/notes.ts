import type { NormalizedEmail } from '@crm/domain';
import type { Catalog } from '../catalog.js';
import { relatedSeeds } from './related.js';
import { searchFormOrNull } from './stored-values.js';
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
export const noteCreate = (catalog: Catalog, note: NewNote): Write<CreatedNote> => ({
  function: 'create_note',
  input: {
    ...relatedSeeds(catalog, note.accountDomains, note.contactEmails),
    account_domains: [...new Set(note.accountDomains)],
    contact_emails: [...new Set(note.contactEmails.map(({ email }) => email))],
    opportunity_ids: note.opportunityIds ?? [],
    title: note.title,
    content: note.content,
    folds: { title: searchFormOrNull(note.title), content: searchFormOrNull(note.content) },
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
    folds: { title: searchFormOrNull(title ?? null), content: searchFormOrNull(content ?? null) },
  },
});
