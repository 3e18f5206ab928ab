import { Type, type Static } from 'typebox';
import { noteContentLength, titleLength } from '../bounds.js';
import { nullable, optional, uuid } from './build.js';
import { closed, DomainInput, EmailInput, KeyList } from './input.js';

/** The body that creates a note. That it has text and a target is checked by the handler, which names both fields. */
export const CreateNoteBody = closed(
  {
    note: closed(
      {
        title: optional(Type.String({ maxLength: titleLength, description: 'Title.', examples: ['Kick-off call'] })),
        content: optional(
          Type.String({ maxLength: noteContentLength, description: 'Text.', examples: ['Budget is approved.'] }),
        ),
      },
      { description: 'The note itself: a title, a content or both.' },
    ),
    account_domains: optional(KeyList(DomainInput('Domain of a company.'), 'Companies to attach the note to.')),
    contact_emails: optional(KeyList(EmailInput('Email of a contact.'), 'Contacts to attach the note to.')),
  },
  {
    title: 'CreateNoteBody',
    description: 'A note on at least one account or contact.',
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

/** `data` of a created note. */
export const CreatedNote = Type.Object(
  {
    note_id: uuid('Id of the note.'),
    title: nullable(Type.String({ description: 'Title; null when it has none.', examples: ['Kick-off call'] })),
    content: nullable(Type.String({ description: 'Text; null when it has none.', examples: ['Budget is approved.'] })),
  },
  {
    title: 'CreatedNote',
    description: 'The created note.',
    examples: [
      {
        note_id: '0197a3c4-7a31-7c85-b0d4-1f2e3d4c5b66',
        title: 'Kick-off call',
        content: 'Budget is approved.',
      },
    ],
  },
);
export type CreatedNote = Static<typeof CreatedNote>;
