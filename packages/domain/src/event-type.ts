/** The objects whose changes are events of the change log. */
export const eventObjects = ['opportunity', 'account', 'contact', 'note'] as const;

/** One of {@link eventObjects}. */
export type EventObject = (typeof eventObjects)[number];

/**
 * What happened to the record of an event. Notes are never merged. Contacts and notes cannot be restored, so
 * `contact.restored` and `note.restored` do not occur.
 */
export const eventTypes = [
  ...(['opportunity', 'account', 'contact'] as const).flatMap(
    (object) =>
      [
        `${object}.created`,
        `${object}.updated`,
        `${object}.deleted`,
        `${object}.merged`,
        `${object}.restored`,
      ] as const,
  ),
  'note.created',
  'note.updated',
  'note.deleted',
  'note.restored',
] as const;

/** One of {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];
