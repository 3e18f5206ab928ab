import type { Stage } from '@crm/db';

import { printResult, type CliContext } from '../cli-context.js';
import type { OutputOptions } from '../options.js';

/** Prints a stage after a change. */
export const printStage = (context: CliContext, options: OutputOptions, stage: Stage, extra: object = {}): void => {
  const { id, label, position, isActive, isDefault, probability } = stage;
  const json = {
    stage_id: id,
    label,
    position,
    ...{ is_active: isActive, is_default: isDefault, probability },
    ...extra,
  };
  const states = [...(isDefault ? ['default'] : []), ...(isActive ? [] : ['archived'])];
  printResult(context, options, { json, text: [`Stage ${label}`, ...states].join(', ') + `: ${id}` });
};
