import type { NewKeyText } from '@crm/db';
import { generateApiKey, hashApiKey } from '@crm/domain';

/** Long enough to distinguish keys in a list, too short to help guess one. */
const prefixLength = 'crm_live_'.length + 6;

/** Generates a key, and the prefix and hash of it that are stored. */
export const newKey = (): { readonly apiKey: string; readonly text: NewKeyText } => {
  const apiKey = generateApiKey();
  return { apiKey, text: { prefix: apiKey.slice(0, prefixLength), hash: new Uint8Array(hashApiKey(apiKey)) } };
};
