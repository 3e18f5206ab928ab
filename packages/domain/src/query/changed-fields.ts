import { propertyNamePrefix } from '../custom-field/definition.js';
import type { EventObject, EventType } from '../event-type.js';
import { eventObjects } from '../event-type.js';
import { nearestName } from '../nearest-name.js';
import { type ObjectType, objectTypes } from '../object-type.js';
import { objects } from '../objects/objects.js';
import { type FieldIndex, findDefinition } from './field-index.js';
import { quote } from './quote.js';

/** The maximum number of names in one `changed`. */
export const maxChangedNames = 100;

/** What `changed` of an event puts before the slug of a custom field. */
const customPrefix = 'custom_fields.';

/** Fields that show values of related records. Events have the id of that record instead. */
const idsOfRelated: Readonly<Record<EventObject, Readonly<Record<string, string>>>> = {
  opportunity: {
    stage_name: 'stage_id',
    outcome: 'stage_id',
    stage_entered_at: 'stage_id',
    closed_at: 'stage_id',
    probability: 'stage_id',
    pipeline_name: 'pipeline_id',
    owner_email: 'owner_id',
    account_domain: 'account_id',
    account_name: 'account_id',
    account_external_id: 'account_id',
    contact_external_id: 'contact_id',
    contact_email: 'contact_id',
    contact_first_name: 'contact_id',
    contact_last_name: 'contact_id',
    additional_contacts: 'additional_contact_ids',
    additional_contact_external_ids: 'additional_contact_ids',
  },
  account: {},
  contact: { account_domain: 'account_id', account_external_id: 'account_id' },
  note: { account_domains: 'account_ids', contact_emails: 'contact_ids' },
};

const never = 'it never changes';
const always = 'it changes with every event';
/** Why no event has a field in `changed`. */
const leftOut: Readonly<Record<string, string>> = {
  id: never,
  created_at: never,
  updated_at: always,
  version: always,
  weighted_amount: 'name amount and stage_id',
  seconds_in_stage: 'it is computed for each read',
  days_to_close: 'it is computed for each read',
  custom_fields: 'name each custom field as custom__<slug>',
};

const idOfRelated = (object: EventObject, name: string): string | undefined =>
  Object.hasOwn(idsOfRelated[object], name) ? idsOfRelated[object][name] : undefined;

const toEventName = (object: EventObject, name: string): string => idOfRelated(object, name) ?? name;

const namesOf = (object: ObjectType): readonly string[] =>
  objects[object].fields.map(({ name }) => toEventName(object, name)).filter((name) => !Object.hasOwn(leftOut, name));

/** The system fields that `changed` of an event can name. */
export const changedFields: Readonly<Record<EventObject, ReadonlySet<string>>> = {
  opportunity: new Set(namesOf('opportunity')),
  account: new Set(namesOf('account')),
  contact: new Set(namesOf('contact')),
  note: new Set(['title', 'content', 'account_ids', 'contact_ids', 'opportunity_ids']),
};

/** The event's name of a field that records, bodies or filters call something else: `deal_size` → `amount`. */
const otherName = (object: EventObject, name: string): string | undefined => {
  const related = idOfRelated(object, name);
  if (related !== undefined || object === 'note') return related;
  const field = objects[object].fields.find(({ write }) => write?.name === name || write?.alias === name);
  return field === undefined ? undefined : toEventName(object, field.name);
};

const isObjectType = (object: EventObject): object is ObjectType =>
  (objectTypes as readonly EventObject[]).includes(object);

const plural = (object: EventObject): string => (isObjectType(object) ? objects[object].many : 'notes');

/** Where names are looked up: the objects of the events, and the custom fields of each. */
export interface ChangedScope {
  readonly objects: readonly EventObject[];
  readonly fieldIndex: (object: ObjectType) => FieldIndex;
}

/** The objects of the events that pass filters on object and type. Empty lists mean all. */
export const objectsOfEvents = (wanted: readonly EventObject[], types: readonly EventType[]): readonly EventObject[] =>
  eventObjects.filter(
    (object) =>
      (wanted.length === 0 || wanted.includes(object)) &&
      (types.length === 0 || types.some((type) => type.startsWith(`${object}.`))),
  );

const problemOf = (scope: ChangedScope, name: string): string => {
  if (scope.objects.length === 0) return 'no event passes the filters on object and type';
  const shown = quote(name);
  const reason = Object.hasOwn(leftOut, name) ? leftOut[name] : undefined;
  if (reason !== undefined) return `${shown} is never in changed: ${reason}`;
  for (const object of scope.objects) {
    const other = otherName(object, name);
    if (other !== undefined) return `${shown} is ${other} in events`;
  }
  const known = scope.objects.flatMap((object) => [
    ...changedFields[object],
    ...(isObjectType(object) ? scope.fieldIndex(object).fullSelection.custom.map(({ slug }) => slug) : []),
  ]);
  const near = nearestName(name, known);
  const owners = scope.objects.map(plural).join(', ');
  return `${shown} is not a field of ${owners}${near === undefined ? '' : `, did you mean ${near}?`}`;
};

/** The name of one field in `changed` of events, or null. A system name wins over an equal slug. */
const eventNameOf = ({ objects: wanted, fieldIndex }: ChangedScope, name: string): string | null => {
  if (wanted.some((object) => changedFields[object].has(name))) return name;
  const slug = name.startsWith(customPrefix) ? name.slice(customPrefix.length) : name;
  for (const object of wanted.filter(isObjectType)) {
    const definition = findDefinition(fieldIndex(object), slug);
    if (definition !== null) return `${customPrefix}${definition.slug}`;
  }
  return null;
};

/**
 * Reads the names of a filter on changed fields: system fields, and custom fields as `custom__<slug>`, as slug, or as in events.
 * @param onProblem - called for each name that no event can have
 * @returns the names as in `changed` of events, without repetitions
 */
export const readChangedNames = (
  names: readonly string[],
  scope: ChangedScope,
  onProblem: (index: number, text: string) => void,
): readonly string[] => {
  const found = names.map((name, index) => {
    const eventName = eventNameOf(scope, name);
    if (eventName === null) onProblem(index, problemOf(scope, name));
    return eventName;
  });
  return [...new Set(found)].filter((name) => name !== null);
};

/**
 * Whether a stored filter on changed fields is the one that a set-up file wants, which may name custom fields in another way. The order
 * means nothing.
 */
export const isSameChanged = (wanted: readonly string[], stored: readonly string[]): boolean => {
  const found = wanted.map((name) => {
    if (eventObjects.some((object) => changedFields[object].has(name))) return name;
    const slug = name.startsWith(propertyNamePrefix) ? name.slice(propertyNamePrefix.length) : name;
    return stored.find((one) => [name, `${customPrefix}${name}`, `${customPrefix}${slug}`].includes(one));
  });
  return new Set(found).size === stored.length && found.every((name) => stored.includes(name ?? ''));
};
