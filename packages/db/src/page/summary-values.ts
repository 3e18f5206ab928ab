import type { FieldRef } from '@crm/domain';
import { tables } from './fields.js';
import type { SqlScope } from './parameters.js';

/** The record that a value of a summary belongs to, by its name in the statement: the record itself, its stage or its account. */
type Source = 'r' | 'of_stage' | 'of_account';

const joins: Readonly<Record<Exclude<Source, 'r'>, string>> = {
  // OFFSET makes PostgreSQL compute the weight once for each stage, not for each opportunity. The sum takes half the time.
  of_stage: `LEFT JOIN (SELECT x.id, x.outcome, x.probability, x.probability::numeric * 0.01 AS weight FROM stages x
    WHERE x.organization_id = $1 OFFSET 0) of_stage ON of_stage.id = r.stage_id`,
  of_account: 'LEFT JOIN accounts of_account ON of_account.organization_id = $1 AND of_account.id = r.account_id',
};

/** The milliseconds of a day. */
export const dayMs = 86_400_000;

/** Values of opportunities that are no columns. A join with the few stages costs less than a lookup for each opportunity. */
const computed: Readonly<Record<string, readonly [sql: string, source: Source]>> = {
  outcome: ['of_stage.outcome', 'of_stage'],
  probability: ['of_stage.probability', 'of_stage'],
  weighted_amount: ['(r.amount * of_stage.weight)', 'of_stage'],
  seconds_in_stage: ['greatest(0, floor(extract(epoch FROM now() - r.stage_entered_at)))', 'r'],
  // In milliseconds, because most numbers of days have no end. The measure divides its result. Integers are sorted fastest.
  days_to_close: [`round(date_part('epoch', r.closed_at - r.created_at) * 1000)::bigint`, 'r'],
};

/** Prints the values of a summary's records, and joins the tables that they come from. */
export class SummaryValues {
  readonly #scope: SqlScope;
  readonly #used = new Set<Source>(['r']);

  constructor(scope: SqlScope) {
    this.#scope = scope;
  }

  /** The item of FROM for all values printed so far. */
  get from(): string {
    const joined = [...this.#used].map((source) => (source === 'r' ? '' : ` ${joins[source]}`));
    return `${tables[this.#scope.objectType]} r${joined.join('')}`;
  }

  /**
   * The value of a field as SQL.
   *
   * - `amount` → `r.amount`
   * - `outcome` → `of_stage.outcome`
   * - `account.tier` → `(of_account.custom_fields->>$2::text)`
   */
  valueOf(ref: FieldRef, isOfAccount = false): string {
    const record: Source = isOfAccount ? 'of_account' : 'r';
    if (ref.source === 'relation') throw new Error('A summary reads no related text');
    if (ref.source === 'custom') return this.#custom(ref, record);
    const value = isOfAccount ? undefined : computed[ref.field.name];
    const [sql, source] = value ?? [`${record}.${ref.field.name}`, record];
    this.#used.add(source);
    return sql;
  }

  #custom(ref: FieldRef & { source: 'custom' }, record: Source): string {
    const { parameters } = this.#scope;
    this.#used.add(record);
    const slug = `${parameters.add(ref.definition.slug)}::text`;
    return ref.part === undefined
      ? `(${record}.custom_fields->>${slug})`
      : `(${record}.custom_fields->${slug}->>${parameters.add(ref.part)}::text)`;
  }
}
