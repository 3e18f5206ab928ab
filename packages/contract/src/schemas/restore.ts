import { Type, type Static } from 'typebox';
import { responseObject, oneOf, uuid } from './build.js';
import { closed } from './input.js';

const object = oneOf(['account', 'opportunity'], { description: 'The kind of the record.', examples: ['account'] });

/** The body of a restore. */
export const RestoreBody = Type.Unsafe<{ position: number } | { object: 'account' | 'opportunity'; id: string }>(
  closed(
    {
      position: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Position of the `deleted` event in the change log. Instead, send `object` and `id`.',
          examples: [1_042],
        }),
      ),
      object: Type.Optional(object),
      id: Type.Optional(uuid('Id of the record.', 'account')),
    },
    {
      title: 'RestoreBody',
      description: 'The deletion to undo: by its position, or the last one of a record.',
      examples: [{ position: 1_042 }],
    },
  ),
);
export type RestoreBody = Static<typeof RestoreBody>;

/** `data` of a restore. */
export const Restored = responseObject('Restored', 'The restored record.', {
  object,
  id: uuid('Id of the record, the same as before.', 'account'),
  version: Type.Integer({ minimum: 2, description: 'Its new version.', examples: [3] }),
});
export type Restored = Static<typeof Restored>;
