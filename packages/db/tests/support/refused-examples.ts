/** A statement that Citus refuses. */
export interface RefusedExample {
  /** The rule of distribution-rules.ts that finds it. */
  readonly rule: string;
  /** One or more statements of {@link exampleFunction}. */
  readonly body: string;
  /** What Citus says; null if it runs the statement but reads the wrong rows. */
  readonly refusal: RegExp | null;
}

const example = (rule: string, refusal: RegExp | null, body: string): RefusedExample => ({ rule, refusal, body });

/** The function `example(p_organization_id uuid)` with a body. */
export const exampleFunction = (body: string): string => `
CREATE FUNCTION example(p_organization_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := now();
  v_day interval := '1 day';
  v_text text;
BEGIN
  ${body};
END
$$;`;

const notVolatile = /must not be VOLATILE/;
const ofColumn = /STABLE functions used in UPDATE queries cannot be called with column references/;
const inCase = /non-IMMUTABLE functions are not allowed in CASE or COALESCE/;

/** At least one statement for each rule. Most were in the sources once. */
export const refusedExamples: readonly RefusedExample[] = [
  example(
    'volatile function in a change',
    notVolatile,
    'UPDATE organizations o SET setup_version = gen_random_uuid() WHERE o.id = p_organization_id',
  ),
  example(
    'volatile function in a change',
    notVolatile,
    'UPDATE record_rebuilds r SET active_at = write_time() WHERE r.organization_id = p_organization_id',
  ),
  example(
    'volatile function in a change',
    notVolatile,
    'DELETE FROM webhook_attempts a WHERE a.organization_id = p_organization_id AND a.id < new_id(v_now)',
  ),
  example(
    'stable function of a column',
    ofColumn,
    'UPDATE webhook_endpoints w SET failing_since = w.failing_since + v_day WHERE w.organization_id = p_organization_id',
  ),
  example(
    'stable function of a column',
    ofColumn,
    "UPDATE members m SET name = concat_ws(' ', m.name, m.email) WHERE m.organization_id = p_organization_id",
  ),
  example(
    'stable function in CASE or COALESCE',
    inCase,
    'UPDATE webhook_endpoints w SET retry_at = CASE WHEN w.parked > 0 THEN now() END WHERE w.organization_id = p_organization_id',
  ),
  example(
    'stable function in CASE or COALESCE',
    inCase,
    'UPDATE webhook_endpoints w SET retry_at = coalesce(w.retry_at, v_now + v_day) WHERE w.organization_id = p_organization_id',
  ),
  example(
    'CASE of a value',
    /operator does not exist: integer = boolean/,
    "UPDATE webhook_parked p SET error = CASE p.attempts WHEN 1 THEN 'a' ELSE 'b' END WHERE p.organization_id = p_organization_id",
  ),
  example(
    'stable function in RETURNING',
    /non-IMMUTABLE functions are not allowed in the RETURNING clause/,
    `UPDATE webhook_endpoints w SET is_test_due = true WHERE w.organization_id = p_organization_id
      RETURNING to_char(w.created_at, 'YYYY') INTO v_text`,
  ),
  example(
    'stable function in ON CONFLICT',
    /must be marked IMMUTABLE/,
    `INSERT INTO event_heads AS h (organization_id, position, oldest_position, bytes, occurred_at) VALUES (p_organization_id, 1, 1, 1, v_now)
      ON CONFLICT (organization_id) DO UPDATE SET occurred_at = now()`,
  ),
  example(
    'count of INSERT … SELECT',
    /skipped rows were counted/,
    `INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
      SELECT p_organization_id, u, 'example.com', '', v_now, v_now FROM unnest(ARRAY[p_organization_id]) u
      ON CONFLICT (organization_id, domain) DO NOTHING;
      GET DIAGNOSTICS v_text = ROW_COUNT;
      ASSERT v_text = '0', 'skipped rows were counted'`,
  ),
  example(
    'subquery in VALUES',
    /subqueries are not supported within INSERT queries/,
    `INSERT INTO members (organization_id, id, email, name) VALUES (p_organization_id, p_organization_id, 'a@b.com',
      (SELECT o.name FROM organizations o WHERE o.id = p_organization_id))`,
  ),
  example(
    'function that uses a table',
    /cannot execute a distributed query from a query on a shard/,
    'PERFORM find_account_id(p_organization_id, a.domain) FROM accounts a WHERE a.organization_id = p_organization_id',
  ),
  example(
    'whole row as an argument',
    /function .*account_event_record\(accounts_\d+, jsonb\) does not exist/,
    "PERFORM account_event_record(a, '[]') FROM accounts a WHERE a.organization_id = p_organization_id",
  ),
  example(
    'organization not bound',
    /complex joins are only supported when all distributed tables are co-located/,
    `PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id
      AND EXISTS (SELECT 1 FROM contacts c WHERE c.account_id = a.id)`,
  ),
  example(
    'organization not bound',
    /join that requires repartitioning/,
    'PERFORM 1 FROM accounts a JOIN contacts c ON c.account_id = a.id WHERE a.organization_id = p_organization_id',
  ),
  example(
    'organization not bound',
    /correlated subqueries are not supported when the FROM clause contains a reference table/,
    'PERFORM 1 FROM organizations o WHERE EXISTS (SELECT 1 FROM accounts a WHERE a.organization_id = o.id)',
  ),
  example(
    'organization not bound',
    /cannot execute DML on table "organizations" because there was a parallel DML access to distributed table "members"/,
    `UPDATE members m SET name = m.name;
      UPDATE organizations o SET name = o.name WHERE o.id = p_organization_id`,
  ),
  example(
    'table of one server beside distributed ones',
    null,
    `PERFORM 1 FROM accounts a JOIN api_keys k ON k.organization_id = p_organization_id WHERE a.organization_id = p_organization_id`,
  ),
];
