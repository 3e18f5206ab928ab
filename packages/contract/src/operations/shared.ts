import { Type } from 'typebox';
import { Warnings } from '../schemas/envelope.js';
import { oneOf } from '../schemas/build.js';
import { closed } from '../schemas/input.js';

/** Every write: what a later read sends to see it, and whether the answer is a replay. */
export const writeHeaders = {
  'X-Read-After': 'Opaque mark of this write; a read that sends it sees the write.',
  'Idempotent-Replayed': '`true` when this is the first answer of an earlier request with the same Idempotency-Key.',
} as const;

/** Creates also say what became of the record. */
export const createHeaders = {
  'X-Record-Status': '`created`, `matched` (found and left as it was) or `updated`.',
  ...writeHeaders,
} as const;

/** Properties beside `data` that a write may answer. */
export const writeExtra = { warnings: Type.Optional(Warnings) } as const;

/** The query of the object creates. */
export const OnMatchQuery = closed(
  {
    on_match: Type.Optional(
      oneOf(['keep', 'update'], {
        default: 'keep',
        description:
          'What to do with a record that exists: keep its values, or apply the sent ones as an update would.',
      }),
    ),
  },
  {},
);
