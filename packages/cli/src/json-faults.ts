import { scanJson } from '@crm/domain';

/** The deepest nesting that the gateways accept. */
const maxDepth = 32;

/** A fault in a JSON text. `field` is its dotted path, or empty for the whole text. */
export interface JsonFault {
  readonly field: string;
  readonly reason: string;
}

/**
 * Finds what `JSON.parse` accepts but the gateways reject, such as duplicate keys and numbers that would be rounded.
 */
export const findJsonFaults = (text: string): readonly JsonFault[] => {
  const { refusal, errors } = scanJson(text, maxDepth);
  const faults = [...errors].map(([path, reason]) => ({ field: path === 'body' ? '' : path, reason }));
  return refusal === null ? faults : [...faults, { field: '', reason: refusal }];
};
