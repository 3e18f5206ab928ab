import { optionColors } from '@crm/domain';

import { usageError } from '../errors.js';

/** A select option from the command line. Missing properties get defaults. */
export interface GivenOption {
  readonly label: string;
  readonly value?: string;
  readonly color?: string;
}

const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text) || optionColors.some((color) => color === text);

/** Reads `value=Label:color`; value and color are optional. A colon without a color after it belongs to the label. */
export const readOption = (text: string): GivenOption => {
  const equals = text.indexOf('=');
  const value = equals > 0 ? text.slice(0, equals).trim() : undefined;
  const rest = text.slice(equals > 0 ? equals + 1 : 0);
  const colon = rest.lastIndexOf(':');
  const last = rest.slice(colon + 1).trim();
  const color = colon > 0 && isColor(last) ? last : undefined;
  const label = (color === undefined ? rest : rest.slice(0, colon)).trim();
  return { label, ...(value === undefined ? {} : { value }), ...(color === undefined ? {} : { color }) };
};

/**
 * Reads the stages of a pipeline in order. A label may end with a probability: `Engaging:50%`.
 *
 * @throws CliError (2) for a default that is not one of them.
 */
export const readStages = (texts: readonly string[], defaultLabel: string | undefined): readonly object[] => {
  const stages = texts.map((text) => {
    const [, label = text, percent] = /^(.+):(\d{1,3})%$/.exec(text) ?? [];
    return { label: label.trim(), ...(percent === undefined ? {} : { probability: Number(percent) }) };
  });
  const first = defaultLabel ?? stages[0]?.label;
  if (!stages.some(({ label }) => label === first))
    throw usageError(`--default-stage: There is no stage "${first ?? ''}".`);
  return stages.map((stage) => ({ ...stage, is_default: stage.label === first }));
};
