import type { WebhookState } from '@crm/db';

import { ok, warning, type Finding } from './finding.js';

const toleranceSeconds = 60;
const mostShown = 5;

const faultOf = ({ state, state_reason: reason, oldest_seconds: seconds }: WebhookState): string | null => {
  if (state === 'disabled') return `is disabled: ${reason ?? 'unknown reason'}`;
  if (state === 'paused' || seconds <= toleranceSeconds) return null;
  return `has an event that was not delivered for ${Math.round(seconds / 60)} minutes`;
};

/** Checks whether webhooks are disabled or have old events to deliver. */
export const checkWebhooks = (states: readonly WebhookState[]): readonly Finding[] => {
  const faults = states.flatMap((webhook) => {
    const fault = faultOf(webhook);
    return fault === null ? [] : [`${webhook.id} ${fault}`];
  });
  const more = faults.length > mostShown ? `, and ${faults.length - mostShown} more` : '';
  const advice =
    'Check that the webhook worker runs, then see crm webhook attempts ID and docs/how-to/repair-a-webhook.md.';
  if (faults.length > 0) return [warning('webhooks', `${faults.slice(0, mostShown).join(', ')}${more}`, advice)];
  return states.length === 0 ? [] : [ok('webhooks', `${states.length}, no event waits long`)];
};
