import type { Webhook } from '@crm/client';
import { isSameChanged } from '@crm/domain';

import { changeStep, type PlanStep } from './plan-step.js';
import type { FileWebhook } from './setup-file.js';

/** Whether a value of the file is that of the webhook. The order of a list means nothing. */
const isSame = (key: string, wanted: unknown, found: Webhook): boolean => {
  const stored: unknown = Reflect.get(found, key);
  if (!Array.isArray(wanted) || !Array.isArray(stored)) return wanted === stored;
  if (key === 'changed') return isSameChanged(wanted as string[], found.changed);
  return JSON.stringify(wanted.toSorted()) === JSON.stringify(stored.toSorted());
};

/**
 * The steps that add and change webhooks, which are found by their URL.
 * @param secrets - receives the secrets of new webhooks by URL
 */
export const planWebhooks = (
  stored: readonly Webhook[],
  wanted: readonly FileWebhook[],
  secrets: Map<string, string>,
): readonly PlanStep[] =>
  wanted.flatMap(({ url, paused, ...values }): readonly PlanStep[] => {
    const found = stored.find((one) => one.url === url);
    if (found === undefined) {
      const run: PlanStep['run'] = async (client) => {
        const { data } = await client.webhooks.create({ url, ...values });
        secrets.set(url, data.secret);
        if (paused === true) await client.webhooks.update(data.webhook.webhook_id, { state: 'paused' });
      };
      return [{ text: `add the webhook ${url}`, run }];
    }
    const isPaused = found.state === 'paused';
    const state = paused === undefined || paused === isPaused ? {} : { state: paused ? 'paused' : 'active' };
    const changed = Object.entries({ ...values, ...state }).filter(([key, to]) => !isSame(key, to, found));
    return changeStep(
      `change the webhook ${url}`,
      Object.fromEntries(changed),
      found,
      { now: 0, position: undefined },
      (client, body) => client.webhooks.update(found.webhook_id, body),
    );
  });
