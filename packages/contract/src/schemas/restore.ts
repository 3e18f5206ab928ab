import { Type, type Static } from 'typebox';
import { having, integer, oneOf, responseObject, uuid } from './build.js';
import { closed } from './input.js';

const object = oneOf(['account', 'opportunity'], 'The kind of the record.', 'account', { title: 'RestorableObject' });

/** The body of a restore. */
export const RestoreBody = Type.Unsafe<{ position: number } | { object: 'account' | 'opportunity'; id: string }>(
  closed(
    {
      position: Type.Optional(
        integer('Position of the `deleted` event in the change log. Instead, send `object` and `id`.', 1_042, {
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
        }),
      ),
      object: Type.Optional(object),
      id: Type.Optional(uuid('Id of the record.', 'account')),
    },
    {
      title: 'RestoreBody',
      description: 'The deletion to undo: by its position, or the last one of a record.',
      examples: [{ position: 1_042 }],
      'x-rules': {
        if: having({ position: {} }),
        then: { maxProperties: 1 },
        else: having({ object: {}, id: {} }),
      },
    },
  ),
);
export type RestoreBody = Static<typeof RestoreBody>;

/** `data` of a restore. */
export const Restored = responseObject('Restored', 'The restored record.', {
  object,
  id: uuid('Id of the record, the same as before.', 'account'),
  version: integer('Its new version.', 3, { minimum: 2 }),
});
export type Restored = Static<typeof Restored>;
