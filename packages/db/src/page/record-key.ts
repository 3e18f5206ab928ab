/** Names one record by its id, or an account or contact by its normalized natural key. */
export type RecordKey =
  | { readonly objectType: 'opportunity' | 'account' | 'contact'; readonly id: string }
  | { readonly objectType: 'account'; readonly domain: string }
  | { readonly objectType: 'contact'; readonly email: string };

/** The text to look up. */
export const keyValue = (key: RecordKey): string => ('id' in key ? key.id : 'domain' in key ? key.domain : key.email);

/**
 * The id of the record that a key names, as SQL. It is the record that has the domain or email. If none has it, it is the record into
 * which a former holder of the domain or email was merged. All reads by natural key use this lookup.
 *
 * `{domain}` → `coalesce((SELECT k.id FROM accounts k WHERE k.organization_id = $1 AND k.domain = $2::text), (SELECT l.account_id FROM
 * account_aliases l WHERE l.organization_id = $1 AND l.domain = $2::text))`
 *
 * @param value - the placeholder of {@link keyValue}
 */
export const idOfKeySql = (key: RecordKey, value: string): string => {
  if ('id' in key) return `${value}::uuid`;
  const [object, column] = 'domain' in key ? ['account', 'domain'] : ['contact', 'email'];
  const own = `SELECT k.id FROM ${object}s k WHERE k.organization_id = $1 AND k.${column} = ${value}::text`;
  const alias = `SELECT l.${object}_id FROM ${object}_aliases l WHERE l.organization_id = $1 AND l.${column} = ${value}::text`;
  return `coalesce((${own}), (${alias}))`;
};
