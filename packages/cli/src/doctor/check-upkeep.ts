import type { OverdueUpkeep } from '@crm/db';

import { ok, warning, type Finding } from './finding.js';

const plural = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Checks whether the upkeep of the inbound gateways has left something undone for hours. */
export const checkUpkeep = (overdue: OverdueUpkeep): Finding => {
  const { expiredResults, lacksPartition, expiredPartitions, unfinishedRebuilds } = overdue;
  const faults = [
    ...(lacksPartition ? ['the change log has no partition for the next week'] : []),
    ...(expiredPartitions > 0 ? [`${plural(expiredPartitions, 'week')} of expired events are not deleted`] : []),
    ...(expiredResults > 0 ? [`${plural(expiredResults, 'organization')} with expired stored results`] : []),
    ...(unfinishedRebuilds > 0
      ? [
          `${plural(unfinishedRebuilds, 'rebuild')} of stored records ${unfinishedRebuilds === 1 ? 'has' : 'have'} not ended for an hour`,
        ]
      : []),
  ];
  if (faults.length === 0) return ok('upkeep', 'nothing is overdue');
  const advice =
    'Check that an inbound gateway runs, and look in its log for "could not": a right may be missing (crm roles apply).';
  return warning('upkeep', faults.join(', '), advice);
};
