-- Lock order. Every write takes its locks in this order, so that two writes cannot wait for each other in a circle:
--
--   0. stored results of the organization   lock_organization_state
--      external ids that are sent           lock_external_ids
--   1. new accounts, by domain              their unique index: a parallel insert of the same domain waits
--   2. names of accounts, by slot           lock_names
--   3. new contacts, by email               their unique index
--   4. names of contacts, by slot           lock_names
--   5. opportunities, by id                 lock_opportunities; lock_note_opportunities shares them
--   6. accounts, then contacts, by id       lock_accounts, lock_contacts; then notes, by id, that a deleted one leaves
--   7. visible fields, then new keys of     lock_organization_state, then their unique index. Bulk calls create in the order of
--      opportunities, by natural key        opportunity_key, and claim the keys of changes in this order
--   8. idempotency keys
--   9. the counter of the change log        next_event_position, the last statement but one of every write
--
-- A merge takes the stored results exclusively, then 2, 4, 5, 6 and 7 for both records and all that it moves. It takes no lock of external
-- ids: docs/decisions/0024-external-ids.md says why. Merges and deletions of an organization run one after another. A row lock of 6 on the
-- record that goes keeps new references away. Aliases need no lock of their own: aliases.sql.
--
-- A write first computes its change without a lock, takes all its locks, then computes it again and applies it. If the second
-- computation needs a lock that the first one did not, it raises serialization_failure and the caller runs the call again.
--
-- database-errors.ts knows the functions of this file and `claim_…` by name: a statement that times out within one of them waited
-- for another call, so a retry can help.

-- A call that stores or looks up external ids locks them first, for all its items at once. So two calls never insert one id at the same
-- time, and a call that found no record of an id may give it to one. Calls without an external id take no such lock. p_object: 'account',
-- 'contact' or 'opportunity'; p_external_ids may have nulls.
CREATE OR REPLACE FUNCTION lock_external_ids(p_organization_id uuid, p_object text, p_external_ids jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint;
BEGIN
  FOR v_lock IN
    SELECT DISTINCT hashtextextended(concat_ws(E'\n', p_organization_id, p_object, 'external_id', e.value), 0)
      FROM jsonb_array_elements_text(p_external_ids) AS e (value) WHERE e.value IS NOT NULL ORDER BY 1
  LOOP
    PERFORM pg_advisory_xact_lock(v_lock);
  END LOOP;
END
$$;

-- Opportunities repeat the names of their account and contacts. A write that makes an opportunity refer to more records shares the
-- name locks of those. A write that changes a name takes its lock exclusively, and so sees every opportunity that repeats it. Both
-- last to the end of the transaction. The names of an organization share 64 locks per kind, so that no call needs many. Taking one
-- writes nothing. p_kind: 'account' or 'contact'.
CREATE OR REPLACE FUNCTION lock_names(p_organization_id uuid, p_kind text, p_ids uuid[], p_is_exclusive boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint;
BEGIN
  FOR v_lock IN
    SELECT DISTINCT hashtextextended(p_organization_id::text || p_kind, hashtext(i.id::text) & 63) FROM unnest(p_ids) AS i (id)
     WHERE i.id IS NOT NULL ORDER BY 1
  LOOP
    IF p_is_exclusive THEN
      PERFORM pg_advisory_xact_lock(v_lock);
    ELSE
      PERFORM pg_advisory_xact_lock_shared(v_lock);
    END IF;
  END LOOP;
END
$$;

-- A state of a whole organization that many writes read and few change. Both kinds of lock last to the end of the transaction.
-- p_state:
--   'stored_results'  A write that stores its result shares it, a deletion takes it exclusively. The deletion then sees every stored
--                     result that repeats values of the record, also that of a create which only found it.
--   'visible_fields'  A write that adds an opportunity shares it while it builds the stored record, which has no hidden fields.
--                     Hiding or showing a field takes it exclusively. So every earlier record is committed when the rebuild begins.
--                     A new label of a stage too: it is part of the record.
--   'setup'           Changes of the set-up take it exclusively, before all other locks; writes of records never do.
CREATE OR REPLACE FUNCTION lock_organization_state(p_organization_id uuid, p_state text, p_is_exclusive boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint := hashtextextended(p_organization_id::text || p_state, 0);
BEGIN
  IF p_is_exclusive THEN
    PERFORM pg_advisory_xact_lock(v_lock);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(v_lock);
  END IF;
END
$$;

-- Locks opportunities against all other changes, in the order of their ids. Each is looked up by itself: to read an array of ids in
-- order, PostgreSQL 15 may read every id of the organization.
CREATE OR REPLACE FUNCTION lock_opportunities(p_organization_id uuid, p_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    PERFORM 1 FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id FOR NO KEY UPDATE;
  END LOOP;
END
$$;

-- Locks accounts against all other changes; those in p_renamed_ids also against new references, since a domain is a key.
CREATE OR REPLACE FUNCTION lock_accounts(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    IF v_id = ANY (p_renamed_ids) THEN
      PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id FOR UPDATE;
    ELSE
      PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id FOR NO KEY UPDATE;
    END IF;
  END LOOP;
END
$$;

-- Locks contacts against all other changes; those in p_renamed_ids also against new references, since an email is a key.
CREATE OR REPLACE FUNCTION lock_contacts(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    IF v_id = ANY (p_renamed_ids) THEN
      PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id FOR UPDATE;
    ELSE
      PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id FOR NO KEY UPDATE;
    END IF;
  END LOOP;
END
$$;
