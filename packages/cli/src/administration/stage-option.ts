import type { NewStage } from '@crm/db';

import { usageError } from '../errors.js';

/**
 * Reads the stages of a pipeline in order. A label may end with a probability: `Engaging:50%`.
 *
 * @throws CliError (2) for an invalid or repeated label, or a default that is not one of them.
 */
export const readStages = (texts: readonly string[], defaultLabel: string | undefined): readonly NewStage[] => {
  const stages = texts.map((text) => {
    const [, label = text, percent] = /^(.+):(\d{1,3})%$/.exec(text) ?? [];
    if (label.trim() === '') throw usageError('--stage: a label must not be blank.');
    if (percent !== undefined && Number(percent) > 100)
      throw usageError(`--stage ${text}: the probability must be from 0% to 100%.`);
    return { label: label.trim().normalize('NFC'), probability: percent === undefined ? undefined : Number(percent) };
  });
  const repeated = stages.find(({ label }, index) => stages.findIndex((other) => other.label === label) !== index);
  if (repeated !== undefined) throw usageError(`--stage: "${repeated.label}" is given twice.`);
  const fallback = defaultLabel ?? stages[0]?.label;
  if (!stages.some(({ label }) => label === fallback))
    throw usageError(`--default-stage: There is no stage "${fallback}".`);
  return stages.map((stage) => ({ ...stage, isDefault: stage.label === fallback }));
};
