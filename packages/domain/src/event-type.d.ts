/** The objects whose changes are events of the change log. */
export declare const eventObjects: readonly ['opportunity', 'account', 'contact', 'note'];
/** One of {@link eventObjects}. */
export type EventObject = (typeof eventObjects)[number];
/**
 * What happened to the record of an event. Notes are never merged. Contacts and notes cannot be restored, so
 * `contact.restored` and `note.restored` do not occur.
 */
export declare const eventTypes: readonly [...("account.created" | "account.deleted" | "account.merged" | "account.restored" | "account.updated" | "contact.created" | "contact.deleted" | "contact.merged" | "contact.restored" | "contact.updated" | "opportunity.created" | "opportunity.deleted" | "opportunity.merged" | "opportunity.restored" | "opportunity.updated")[], "note.created", "note.updated", "note.deleted", "note.restored"];
/** One of {@link eventTypes}. */
export type EventType = (typeof eventTypes)[number];
