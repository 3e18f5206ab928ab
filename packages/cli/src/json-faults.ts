import { scanJson } from '@crm/domain';

/** As deep as the gateways take it. */
const maxDepth = 32;

/** What is wrong at a place in a JSON text; `field` is its dotted path, empty for the text as a whole. */
export interface JsonFault {
  readonly field: string;
  readonly reason: string;
}

/** What `JSON.parse` would lose of a JSON text without an error: the first of two equal keys, digits of a long number. */
export const findJsonFaults = (text: string): readonly JsonFault[] => {
  const { refusal, errors } = scanJson(text, maxDepth);
  const faults = [...errors].map(([path, reason]) => ({ field: path === 'body' ? '' : path, reason }));
  return refusal === null ? faults : [...faults, { field: '', reason: refusal }];
};
