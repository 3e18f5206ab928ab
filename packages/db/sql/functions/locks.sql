-- Lock order. Every write takes its locks in this order so that two writes cannot deadlock:
--
--   0. stored results of the organization   lock_organization_state
--      external ids in the request          lock_external_ids
--   1. new accounts, by domain              their unique index: a parallel insert of the same domain waits
--   2. names of accounts, by lock number    lock_names
--   3. new contacts, by email               their unique index
--   4. names of contacts, by lock number    lock_names
--   5. opportunities, by id                 lock_opportunities; lock_note_opportunities takes shared locks
--   6. accounts, then contacts, by id       lock_accounts, lock_contacts; then, by id, the notes of a record that is deleted
--   7. visible fields, then new natural     lock_organization_state, then the unique index of these keys. Bulk calls create
--      keys of opportunities                opportunities in the order of opportunity_key, and claim changed keys in the same order
--   8. idempotency keys
--   9. the counter of the change log        next_event_position, just before the events are inserted
--
-- A merge locks the stored results exclusively, then takes 2, 4, 5, 6 and 7 for both records and everything that it moves. It takes no
-- locks on external ids; docs/decisions/0024-external-ids.md explains why. Merges and deletions of one organization run one after
-- another. The row lock (6) on the record that is merged away keeps other calls from adding references to it. Aliases need no locks of
-- their own; see aliases.sql.
--
-- A write first computes its change without locks. It then takes all its locks, computes the change again and applies it. If the second
-- computation needs a lock that the first one did not, the write raises serialization_failure and the caller retries the call.
--
-- database-errors.ts recognizes the functions of this file and the `claim_…` functions by name. A statement that times out in one of them
-- was waiting for another call, so a retry can help.

-- Locks all external ids that a call stores or looks up, before the call takes locks on records. So two calls cannot insert the same
-- external id at the same time, and a call that found no record with an external id can safely give that id to a record. Calls without
-- external ids take no such lock. p_object: 'account', 'contact' or 'opportunity'. p_external_ids may contain nulls.
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

-- Opportunities hold copies of the names of their account and contacts. A write that links an opportunity to more records takes shared
-- name locks on those records. A write that changes a name takes the name lock exclusively, so it sees every opportunity with a copy of
-- the name. The locks last until the transaction ends and write nothing to disk. All names of one kind in an organization share 64 locks,
-- so no call needs many. p_kind: 'account' or 'contact'.
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

-- Locks a state of a whole organization that many writes read and few change. The lock lasts until the transaction ends. p_state:
--   'stored_results'  Shared by a write that stores its result, exclusive for a deletion or merge. The deletion then sees every stored
--                     result with values of the record, including results of creates that found the record and did not change it.
--   'visible_fields'  Shared by a write that inserts an opportunity, and by a merge. Both build stored records, which have the label of the
--                     stage and no hidden fields. Exclusive for a change of the setup that hides or shows a field or renames a stage. So
--                     when the rebuild begins, all stored records that these writes built before the change are committed.
--   'setup'           Exclusive for changes of the setup, which take it before all other locks. Writes of records never take it.
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

-- Locks opportunities against changes by other calls, in id order. Looks up each id separately: to read an array of ids in order,
-- PostgreSQL 15 may read every id of the organization.
CREATE OR REPLACE FUNCTION lock_opportunities(p_organization_id uuid, p_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    PERFORM 1 FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id FOR NO KEY UPDATE;
  END LOOP;
END
$$;

-- Locks accounts against changes by other calls, in id order. Accounts in p_renamed_ids are locked FOR UPDATE, which also blocks new
-- references to them: an update of `domain`, a column of a unique key, needs this stronger lock.
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

-- Like lock_accounts, for contacts and changes of `email`.
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
