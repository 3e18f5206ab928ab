import type { Webhook } from '@crm/client';

import { changeStep, type PlanStep } from './plan-step.js';
import type { FileWebhook } from './setup-file.js';

/** Whether a value of the file is that of the webhook. The order of objects and types means nothing. */
const isSame = (wanted: unknown, stored: unknown): boolean =>
  Array.isArray(wanted) && Array.isArray(stored)
    ? JSON.stringify(wanted.toSorted()) === JSON.stringify(stored.toSorted())
    : wanted === stored;

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
    const changed = Object.entries({ ...values, ...state }).filter(([key, to]) => !isSame(to, Reflect.get(found, key)));
    return changeStep(
      `change the webhook ${url}`,
      Object.fromEntries(changed),
      found,
      { now: 0, position: undefined },
      (client, body) => client.webhooks.update(found.webhook_id, body),
    );
  });
