import { normalizeOrNull } from '@crm/domain';
import type { OrganizationSetup } from '../organization-setup.js';
import { linksOfList, relatedSeeds, withLinks } from './related.js';
import type { UpdateTarget, Write, WrittenRecord } from './write.js';

/** A note to create on accounts, contacts and opportunities. */
export interface NewNote {
  /** A UUID in lower case. By default, the note gets a new one. */
  readonly id?: string | null;
  readonly title: string | null;
  readonly content: string | null;
  readonly accountDomains: readonly string[];
  readonly contactEmails: readonly string[];
  /** External ids of existing accounts and contacts. By default none. */
  readonly accountExternalIds?: readonly string[];
  readonly contactExternalIds?: readonly string[];
  /** Ids of existing opportunities. By default none. */
  readonly opportunityIds?: readonly string[];
}

/** The result of creating a note. If a note had the id already, it is that note, unchanged. */
export interface CreatedNote {
  readonly id: string;
  readonly record_status: 'created' | 'matched';
  /** Of a matched note: the sent parts that it does not have, such as `title` or `account_domains`. */
  readonly unapplied?: readonly string[];
  readonly title: string | null;
  readonly content: string | null;
  readonly version: number;
  readonly account_ids: readonly string[];
  readonly contact_ids: readonly string[];
  readonly opportunity_ids: readonly string[];
}

/**
 * Creates a note, and the missing accounts and contacts that it names.
 * @throws Failure `unknown_opportunities`, `links_refused`, `note_deleted`
 */
export const noteCreate = (setup: OrganizationSetup, note: NewNote): Write<CreatedNote> => ({
  function: 'create_note',
  input: withLinks(
    {
      ...relatedSeeds(setup, note.accountDomains, note.contactEmails),
      account_domains: [...new Set(note.accountDomains)],
      contact_emails: [...new Set(note.contactEmails)],
      opportunity_ids: note.opportunityIds ?? [],
      id: note.id,
      title: note.title,
      content: note.content,
      normalized: { title: normalizeOrNull(note.title), content: normalizeOrNull(note.content) },
    },
    [
      ...linksOfList('account', note.accountExternalIds, 'account_external_ids', ['account_domains']),
      ...linksOfList('contact', note.contactExternalIds, 'contact_external_ids', ['contact_emails']),
    ],
  ),
});

/** Changes of a note. Undefined keeps the value, null clears it. */
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
    id,
    version,
    set: { title, content },
    normalized: { title: normalizeOrNull(title ?? null), content: normalizeOrNull(content ?? null) },
  },
});
