import { Type, type Static } from 'typebox';
import { keysPerCall, noteContentLength, titleLength } from '../bounds.js';
import { having, instant, integer, listOf, nullable, optional, responseObject, text, uuid } from './build.js';
import { visibleText } from '../openapi/shown-checks.js';
import { closed, DomainInput, EmailInput, KeyList } from './input.js';
import { externalIdList } from './object-fields.js';
import { pageOf } from './pagination.js';

const noteTexts = {
  title: optional(text('Title.', 'Kick-off call', { maxLength: titleLength })),
  content: optional(text('Text.', 'Budget is approved.', { maxLength: noteContentLength })),
};

/** A note in a create of an opportunity, which the note is attached to. The handler checks that it has a text. */
export const notePart = () =>
  closed(noteTexts, { description: 'A note on the deal: a title, a content or both.', 'x-rules': hasATitleOrContent });

const hasText = (name: string) => having({ [name]: { type: 'string', pattern: visibleText } });
const hasATitleOrContent = { if: hasText('title'), else: hasText('content') };
const noItems = { type: ['array', 'null'], items: {}, maxItems: 0 };
const targetLists = ['account_domains', 'contact_emails', 'account_external_ids', 'contact_external_ids'];

/** The body that creates a note. The handler checks that it has a text and a target, and otherwise names both fields in its errors. */
export const CreateNoteBody = closed(
  {
    note: closed(
      {
        id: optional(
          uuid(
            'Id of the note, such as that of a copied one. If a note has it already, that note is returned.',
            'note',
          ),
        ),
        ...noteTexts,
      },
      {
        description: 'The note itself: a title, a content or both.',
        'x-rules': hasATitleOrContent,
      },
    ),
    account_domains: optional(KeyList(DomainInput('Domain of a company.'), 'Companies to attach the note to.')),
    contact_emails: optional(KeyList(EmailInput('Email of a contact.'), 'Contacts to attach the note to.')),
    account_external_ids: optional(
      externalIdList('Companies to attach the note to, by `external_id`. They must exist.'),
    ),
    contact_external_ids: optional(
      externalIdList('Contacts to attach the note to, by `external_id`. They must exist.'),
    ),
    related_objects: optional(
      closed(
        {
          opportunity_ids: optional(
            Type.Array(uuid('Id of an opportunity.', 'opportunity'), {
              maxItems: keysPerCall,
              description: 'Opportunities to attach the note to. They must exist.',
            }),
          ),
        },
        { description: 'Related records, by id.' },
      ),
    ),
  },
  {
    title: 'CreateNoteBody',
    description: 'A note on at least one account, contact or opportunity.',
    'x-rules': {
      if: {
        properties: {
          ...Object.fromEntries(targetLists.map((name) => [name, noItems])),
          related_objects: {
            type: ['object', 'null'],
            properties: { opportunity_ids: { ...noItems, description: 'No opportunity.' } },
          },
        },
        additionalProperties: true,
      },
      then: having({ account_domains: { type: 'array', items: {}, minItems: 1 } }),
    },
    examples: [
      {
        note: { title: 'Kick-off call', content: 'Budget is approved.' },
        account_domains: ['acme.com'],
        contact_emails: ['ada@acme.com'],
      },
    ],
  },
);
export type CreateNoteBody = Static<typeof CreateNoteBody>;

/** The body that updates a note. */
export const UpdateNoteBody = closed(
  { note: closed(noteTexts, { description: 'The changes. Absent texts stay; `null` clears a text.' }) },
  {
    title: 'UpdateNoteBody',
    description: 'Changes to a note. A title or a content must remain.',
    examples: [{ note: { content: 'Budget is approved by Ada.' } }],
  },
);
export type UpdateNoteBody = Static<typeof UpdateNoteBody>;

/** The records that a note is attached to. */
const linkedIds = {
  account_ids: listOf(uuid('Id of the account.', 'account'), 'Ids of the accounts it is attached to.'),
  contact_ids: listOf(uuid('Id of the contact.', 'contact'), 'Ids of the contacts it is attached to.'),
  opportunity_ids: listOf(uuid('Id of the opportunity.', 'opportunity'), 'Ids of the opportunities it is attached to.'),
};

/** `data` of a created note. */
export const CreatedNote = responseObject('CreatedNote', 'The created note.', {
  note_id: uuid('Id of the note.', 'note'),
  title: nullable(text('Title; null if it has none.', 'Kick-off call')),
  content: nullable(text('Text; null if it has none.', 'Budget is approved.')),
  ...linkedIds,
});
export type CreatedNote = Static<typeof CreatedNote>;

/** A note in responses. */
export const Note = responseObject('Note', 'A note on accounts, contacts and opportunities.', {
  id: uuid('Id of the note.', 'note'),
  title: nullable(text('Title.', 'Kick-off call')),
  content: nullable(text('Text.', 'Budget is approved.')),
  ...linkedIds,
  account_domains: listOf(Type.String({ examples: ['acme.com'] }), 'Domains of the accounts it is attached to.'),
  contact_emails: listOf(
    Type.String({ format: 'email', examples: ['ada@acme.com'] }),
    'Emails of the contacts it is attached to.',
  ),
  created_at: instant('When it was created.'),
  updated_at: instant('When it was last changed.'),
  version: integer('Increases by one with every change.', 1, { minimum: 1 }),
});
export type Note = Static<typeof Note>;

/** `data` of a page of notes. */
export const NotePage = pageOf('NotePage', 'A page of notes.', {
  notes: listOf(Note, 'The records of this page.'),
});

/** `data` of one note. */
export const NoteDetail = responseObject('NoteDetail', 'One note.', { note: Note });
