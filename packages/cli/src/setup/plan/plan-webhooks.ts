import type { Webhook } from '@crm/client';
import {
  createFieldIndex,
  type CustomFieldDefinition,
  type FieldIndex,
  isSameChanged,
  objectsOfEvents,
  type ObjectType,
  readChangedNames,
} from '@crm/domain';
import { endpointUrlProblem } from '@crm/webhooks';

import type { YamlFile } from '../../yaml-file.js';
import type { FileField, FileWebhook } from '../setup-file.js';
import { matchEntries } from './match-entries.js';
import { changeStep, type PlanStep, type StoredSetup } from './plan-step.js';
import type { SetupSize } from './setup-size.js';

/** Receives the secret of a webhook when it is made. */
export type OnSecret = (url: string, secret: string) => void;

/** Only the gateway knows which networks it allows. */
const allNetworks = ['0.0.0.0/0', '::/0'];

/** Whether a value of the file is that of the webhook. The order of a list means nothing. */
const isSame = (key: string, wanted: unknown, found: Webhook): boolean => {
  const stored: unknown = Reflect.get(found, key);
  if (!Array.isArray(wanted) || !Array.isArray(stored)) return wanted === stored;
  if (key === 'changed') return isSameChanged(wanted as string[], found.changed);
  const [one, other] = [new Set<unknown>(wanted), new Set<unknown>(stored)];
  return one.size === other.size && [...one].every((each) => other.has(each));
};

interface Work {
  readonly source: YamlFile;
  readonly setup: StoredSetup;
  readonly entries: readonly FileWebhook[];
  /** The fields of the file, which exist before the webhooks are made. */
  readonly fields: readonly FileField[];
  readonly size: SetupSize;
  readonly onSecret: OnSecret;
}

/** The custom fields that requests can name when the plan makes the webhooks. What it archives, it archives later. */
const fieldIndexOf =
  ({ setup, fields }: Work) =>
  (object: ObjectType): FieldIndex => {
    const given = fields.filter((field) => field.object === object);
    const archived = new Set(given.flatMap(({ slug, archived: isArchived }) => (isArchived === true ? [slug] : [])));
    const stored = setup.fields.filter((field) => field.object === object);
    const unusable = stored.flatMap(({ name, is_active: isActive }) =>
      isActive === false && (archived.has(name) || !given.some(({ slug, archived: a }) => slug === name && a === false))
        ? [name]
        : [],
    );
    const slugs = new Set([...stored.map(({ name }) => name), ...given.map(({ slug }) => slug)]);
    const rest = { objectType: object, attributeType: 'string', metadata: null, position: 0, slot: null } as const;
    const definitions = [...slugs]
      .filter((slug) => !unusable.includes(slug))
      .map((slug): CustomFieldDefinition => {
        return { ...rest, id: slug, slug, name: slug, isHidden: false, pipelineIds: null };
      });
    return createFieldIndex(object, definitions);
  };

/** Reports names in `changed` that no event of the webhook can have. @param sent - the filters of a webhook after the plan */
const checkChanged = (
  work: Work,
  index: number,
  { changed = [], objects = [], types = [] }: Partial<Webhook>,
): void => {
  const scope = { objects: objectsOfEvents(objects, types), fieldIndex: fieldIndexOf(work) };
  const isGiven = work.entries[index]?.changed !== undefined;
  readChangedNames(changed, scope, (place, text) => {
    if (isGiven) work.source.problem(['webhooks', index, 'changed', place], text);
    else work.source.problem(['webhooks', index], `${text}: give changed too`);
  });
};

/** Plans the changes of webhooks, which are found by their URL. */
export const planWebhooks = (work: Work): readonly PlanStep[] => {
  const { source, entries, size, onSecret } = work;
  const { webhooks: stored, webhookSettings } = work.setup;
  const objects = stored.map(({ webhook_id: id, url }) => ({ id, name: url }));
  const names = entries.map(({ url, was }) => ({ name: url, was }));
  const compared = (url: string): string => url;
  const fileList = { source, path: ['webhooks'], key: 'url', noun: 'webhook', compared };
  const found = matchEntries(names, objects, fileList);
  return entries.flatMap(({ url, was: _was, paused, ...values }, index): readonly PlanStep[] => {
    const place = ['webhooks', index] as const;
    const object = stored[found[index] ?? -1];
    const isKnown = object?.url === url;
    const problem = isKnown ? null : endpointUrlProblem(url, webhookSettings?.networks ?? allNetworks);
    if (problem !== null) source.problem([...place, 'url'], problem);
    if (object !== undefined) {
      const isPaused = object.state === 'paused';
      const state = paused === undefined || paused === isPaused ? {} : { state: paused ? 'paused' : 'active' };
      const changed = Object.entries({ url, ...values, ...state }).filter(([key, to]) => !isSame(key, to, object));
      if (changed.some(([key]) => ['changed', 'objects', 'types'].includes(key)))
        checkChanged(work, index, { ...object, ...values });
      const send: Parameters<typeof changeStep>[3] = (client, body) => client.webhooks.update(object.webhook_id, body);
      return changeStep(`the webhook ${object.url}`, Object.fromEntries(changed), object, send);
    }
    checkChanged(work, index, values);
    size.add('webhooks', place);
    if (webhookSettings?.keys === null) source.problem(place, 'webhooks are off: WEBHOOK_SECRET_KEY is not set');
    let id = '';
    const create: PlanStep['run'] = async (client) => {
      const answer = await client.webhooks.create({ url, ...values });
      id = answer.data.webhook.webhook_id;
      onSecret(url, answer.data.secret);
      return answer;
    };
    const steps = [{ text: `add the webhook ${url}`, run: create }];
    if (paused !== true) return steps;
    return [
      ...steps,
      { text: `pause the webhook ${url}`, run: (client) => client.webhooks.update(id, { state: 'paused' }) },
    ];
  });
};
