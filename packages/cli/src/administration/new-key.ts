import type { NewKeyText } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';

/** Enough to tell keys apart in a list, too little to guess one. */
const prefixLength = 'crm_live_'.length + 6;

/** A new key, and what may be stored of it. */
export const newKey = (): { readonly apiKey: string; readonly text: NewKeyText } => {
  const apiKey = generateApiKey();
  return { apiKey, text: { prefix: apiKey.slice(0, prefixLength), hash: new Uint8Array(hashApiKey(apiKey)) } };
};
