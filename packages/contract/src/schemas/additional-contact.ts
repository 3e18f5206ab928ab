import { Type } from 'typebox';
import { nullable, uuid } from './build.js';

/** A contact of an opportunity other than its primary one. */
export const AdditionalContact = Type.Object(
  {
    contact_id: uuid('Id of the contact.', 'secondContact'),
    contact_first_name: nullable(Type.String({ description: 'First name.', examples: ['Grace'] })),
    contact_last_name: nullable(Type.String({ description: 'Last name.', examples: ['Hopper'] })),
    contact_email: nullable(Type.String({ format: 'email', description: 'Email.', examples: ['grace@acme.com'] })),
  },
  { title: 'AdditionalContact', additionalProperties: false, description: 'A contact other than the primary one.' },
);
