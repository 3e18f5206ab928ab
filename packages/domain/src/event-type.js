/** The objects whose changes are events of the change log. */
export const eventObjects = ['opportunity', 'account', 'contact', 'note'];
/**
 * What happened to the record of an event. Notes are never merged. Contacts and notes cannot be restored, so
 * `contact.restored` and `note.restored` do not occur.
 */
export const eventTypes = [
    ...['opportunity', 'account', 'contact'].flatMap((object) => [
        `${object}.created`,
        `${object}.updated`,
        `${object}.deleted`,
        `${object}.merged`,
        `${object}.restored`,
    ]),
    'note.created',
    'note.updated',
    'note.deleted',
    'note.restored',
];
//# sourceMappingURL=event-type.js.map