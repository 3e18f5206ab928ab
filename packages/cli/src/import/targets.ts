import { bodyPathOf, type FieldDescription, objects, type ObjectType } from '@crm/domain';
import type { Argument, Option } from 'commander';

/** The objects that `crm import` can create. */
export const importObjects = ['opportunity', 'account', 'contact', 'note'] as const;

/** One of {@link importObjects}. */
export type ImportObject = (typeof importObjects)[number];

/** The plural names of the objects in the API and in `crm export`. */
export const collections = {
  opportunity: 'opportunities',
  account: 'accounts',
  contact: 'contacts',
  note: 'notes',
} as const;

/** The objects that `crm export` writes, named as in API paths. */
export const exportObjects = Object.values(collections);

/** One of {@link exportObjects}. */
export type ExportObject = (typeof exportObjects)[number];

/** The kind of a target's value in the request. `custom` depends on the definition of the custom field. */
export type TargetKind = 'text' | 'number' | 'instant' | 'list' | 'stage' | 'custom';

/** A key of a mapping's `fields`, and the path of its value in the request. */
export interface Target {
  readonly name: string;
  readonly kind: TargetKind;
  readonly path: readonly string[];
}

interface ObjectTargets {
  /** Each record needs these targets, or an `external_id`. */
  readonly required: readonly string[];
  readonly targets: readonly Target[];
  /** The path of custom fields in the request. Absent if the object has none. */
  readonly customFields?: readonly string[];
}

const target = (name: string, kind: TargetKind, ...path: string[]): Target => ({ name, kind, path });

const kinds: Readonly<Record<string, TargetKind>> = { number: 'number', epoch_ms: 'instant', contact_list: 'list' };

/** The targets of the fields that requests can set. Files have labels and emails in place of ids. */
const recordTargets = (objectType: ObjectType): readonly Target[] =>
  objects[objectType].fields.flatMap(({ name, kind, write }: FieldDescription): Target[] => {
    if (write === undefined) return [];
    const path = bodyPathOf(objectType, write.reference ?? name).split('.');
    if (write.as === 'stage') return [target('stage', 'stage', ...path)];
    return [target(write.part === undefined ? name : (write.name ?? name), kinds[kind] ?? 'text', ...path)];
  });

/** The name of the account of a deal. It is sent in a create of the account, because that of a deal takes no name. */
const accountName = target('account_name', 'text', 'account_name');

const byObject: Record<ImportObject, ObjectTargets> = {
  opportunity: {
    required: ['name'],
    targets: [...recordTargets('opportunity'), accountName],
    customFields: ['opportunity', 'custom_fields'],
  },
  account: { required: ['domain'], targets: recordTargets('account'), customFields: ['custom_fields'] },
  contact: { required: ['email'], targets: recordTargets('contact'), customFields: ['custom_fields'] },
  note: {
    required: [],
    targets: [
      target('id', 'text', 'note', 'id'),
      target('title', 'text', 'note', 'title'),
      target('content', 'text', 'note', 'content'),
      target('account_domains', 'list', 'account_domains'),
      target('contact_emails', 'list', 'contact_emails'),
      target('account_external_ids', 'list', 'account_external_ids'),
      target('contact_external_ids', 'list', 'contact_external_ids'),
      target('opportunity_ids', 'list', 'related_objects', 'opportunity_ids'),
    ],
  },
};

/** The pattern of custom field slugs. */
const slugPattern = /^[a-z][a-z0-9_]{0,62}$/;
const customPrefix = 'custom_fields.';

/** All targets of an object, for the message about an unknown one. */
export const targetNames = (object: ImportObject): string[] => [
  ...byObject[object].targets.map(({ name }) => name),
  ...(byObject[object].customFields === undefined ? [] : [`${customPrefix}<slug>`]),
];

/** Links by external id. An export has the domains and emails of the same records, which imports create if they are missing. */
const isExternalLink = ({ name }: Target): boolean => /_external_ids?$/.test(name);

/** The targets of an object that are no custom fields, in the order of an export. */
export const systemTargetNames = (object: ImportObject): readonly string[] =>
  byObject[object].targets.filter((one) => one !== accountName && !isExternalLink(one)).map(({ name }) => name);

/** The targets that a record needs, unless it has an `external_id`. */
export const requiredTargets = (object: ImportObject): readonly string[] => byObject[object].required;

/** Finds a target by name, if the object has it. */
export const findTarget = (object: ImportObject, name: string): Target | undefined => {
  const { targets, customFields } = byObject[object];
  if (!name.startsWith(customPrefix)) return targets.find((candidate) => candidate.name === name);
  const slug = name.slice(customPrefix.length);
  if (customFields === undefined || !slugPattern.test(slug)) return undefined;
  return { name, kind: 'custom', path: [...customFields, slug] };
};

/**
 * Converts a dotted path in the gateway's errors to the name in the mapping. Returns the path itself if there is none.
 */
export const targetNameOf = (object: ImportObject, dottedPath: string): string => {
  const { targets, customFields } = byObject[object];
  const named = targets.find(({ path }) => path.join('.') === dottedPath);
  if (named !== undefined) return named.name;
  const slug = /\bcustom(?:_fields\.|__)(.+)$/.exec(dottedPath)?.[1];
  return slug === undefined || customFields === undefined ? dottedPath : `${customPrefix}${slug}`;
};

/** The object of a plural name. */
export const importObjectOf = (collection: ExportObject): ImportObject =>
  importObjects.find((object) => collections[object] === collection) ?? 'opportunity';

/** Limits an option or argument to these objects. It also takes each in its other number: `account` for `accounts`. */
export const objectChoices = <T extends Argument | Option>(part: T, choices: readonly string[]): T => {
  part.choices(choices);
  const parse = part.parseArg as (text: string, previous: unknown) => unknown;
  part.argParser((text: string, previous: unknown) => {
    const forms = Object.entries(collections).find((pair) => pair.some((form) => form === text)) ?? [text];
    return parse(forms.find((form) => choices.includes(form)) ?? text, previous);
  });
  return part;
};

/** Sets a value at its path in the request. */
export const placeValue = (body: Record<string, unknown>, target: Target, value: unknown): void => {
  let parent = body;
  for (const key of target.path.slice(0, -1)) {
    const child = (parent[key] ??= {});
    parent = child as Record<string, unknown>;
  }
  // Defined, not assigned, because a slug may be the name of an inherited property such as valueOf.
  const key = target.path.at(-1) ?? '';
  Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
};
