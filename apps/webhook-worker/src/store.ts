import { setTimeout as sleep } from 'node:timers/promises';
import { type DeliveryResult, isRefusedValue, sqlStateIn } from '@crm/db';
import { withoutTexts } from './outcome.js';

/** The pauses before a save is tried again after an outage of the database, about half a minute in all. */
const pausesMs = [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000];

/** Stores nothing but the reason why the endpoint is disabled. */
const onlyDisabled = (result: DeliveryResult, because: string): DeliveryResult => ({
  ...{ ...result, position: result.position_before, disabled_because: because, is_released: true },
  ...{ parked: [], delivered: [], attempts: [], pace: null },
});

/**
 * Stores a result. After an outage it tries again, because the events would be sent twice otherwise. If the database refuses a value, it
 * tries without the texts, and then disables the endpoint: it would send the same events for ever.
 * @throws the last error
 */
export const storeResult = async (
  save: (result: DeliveryResult) => Promise<boolean>,
  result: DeliveryResult,
  isStopping: () => boolean,
): Promise<boolean> => {
  const fallbacks = [
    () => withoutTexts(result),
    (error: unknown) => onlyDisabled(result, `its deliveries could not be stored: SQLSTATE ${sqlStateIn(error)}`),
  ];
  const pauses = pausesMs.values();
  let current = result;
  for (;;) {
    try {
      return await save(current);
    } catch (error) {
      if (isRefusedValue(error)) {
        const fallback = fallbacks.shift();
        if (fallback === undefined) throw error;
        current = fallback(error);
      } else {
        const { value: pauseMs } = pauses.next();
        if (pauseMs === undefined || isStopping()) throw error;
        await sleep(pauseMs);
      }
    }
  }
};
