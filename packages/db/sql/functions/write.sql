-- The entry point of all writes of records: one call of `write` is one round trip and one transaction.

-- Whether a function deletes records, and with them the stored results that contain their values.
CREATE OR REPLACE FUNCTION deletes_records(p_function text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN p_function ^@ 'delete_' OR p_function ^@ 'merge_';
END
$$;

-- Calls a write function by name, after taking the locks that come before all others.
CREATE OR REPLACE FUNCTION run_write(p_organization_id uuid, p_function text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF deletes_records(p_function) THEN
    PERFORM lock_organization_state(p_organization_id, 'stored_results', true);
  END IF;
  IF p_input->'change'->'set' ? 'external_id' THEN
    PERFORM lock_external_ids(p_organization_id, split_part(p_function, '_', 2), jsonb_build_array(p_input->'change'->'set'->'external_id'));
  END IF;
  RETURN CASE p_function
    WHEN 'create_opportunity' THEN create_opportunity(p_organization_id, p_input)
    WHEN 'create_contact' THEN create_contact(p_organization_id, p_input)
    WHEN 'create_account' THEN create_account(p_organization_id, p_input)
    WHEN 'create_note' THEN create_note(p_organization_id, p_input)
    WHEN 'update_opportunity' THEN update_opportunity(p_organization_id, p_input)
    WHEN 'update_contact' THEN update_contact(p_organization_id, p_input)
    WHEN 'update_account' THEN update_account(p_organization_id, p_input)
    WHEN 'update_note' THEN update_note(p_organization_id, p_input)
    WHEN 'delete_opportunity' THEN delete_opportunity(p_organization_id, p_input)
    WHEN 'delete_contact' THEN delete_contact(p_organization_id, p_input)
    WHEN 'delete_account' THEN delete_account(p_organization_id, p_input)
    WHEN 'delete_note' THEN delete_note(p_organization_id, p_input)
    WHEN 'merge_account' THEN merge_account(p_organization_id, p_input)
    WHEN 'merge_contact' THEN merge_contact(p_organization_id, p_input)
    WHEN 'preview_account_merge' THEN merge_account(p_organization_id, p_input)
    WHEN 'preview_contact_merge' THEN merge_contact(p_organization_id, p_input)
    WHEN 'restore_account' THEN restore_account(p_organization_id, p_input)
    WHEN 'restore_opportunity' THEN restore_opportunity(p_organization_id, p_input)
    WHEN 'write_many' THEN write_many(p_organization_id, p_input)
  END;
END
$$;

-- The mark that shows whether a replica has replayed this write: '<cluster> transaction <id>' if the transaction has written. Otherwise
-- it is '<cluster> position <bytes of WAL>', because everything that the call read was committed before this position. Only a primary can
-- take a mark, and a call takes it last.
CREATE OR REPLACE FUNCTION read_mark() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_transaction_id xid8 := pg_current_xact_id_if_assigned();
  v_cluster bigint := (SELECT c.system_identifier FROM pg_control_system() c);
BEGIN
  IF v_transaction_id IS NULL THEN
    RETURN v_cluster || ' position ' || (pg_current_wal_insert_lsn() - '0/0'::pg_lsn);
  END IF;
  RETURN v_cluster || ' transaction ' || v_transaction_id;
END
$$;

-- Runs a write, or returns the stored result of an earlier call with the same Idempotency-Key. p_idempotency: see idempotency.sql; null
-- without the header. p_origin: {request_id, api_key_id}, for the events of the write, which are appended last (events.sql).
--
-- All statements of the write functions look up rows by key. Two settings rely on that. plan_cache_mode makes a session plan each
-- statement once instead of in every call; `crm distribute` replaces this setting (distribute-functions.ts). enable_seqscan keeps
-- sequential scans out of the cached plans. A plan made while a table is small would otherwise still read the whole table after it has
-- grown.
CREATE OR REPLACE FUNCTION write(p_organization_id uuid, p_function text, p_input jsonb, p_idempotency jsonb, p_origin jsonb DEFAULT NULL, OUT result jsonb, OUT replayed boolean, OUT read_mark text)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  replayed := false;
  IF p_idempotency IS NULL THEN
    result := run_write(p_organization_id, p_function, p_input);
    PERFORM append_events(p_organization_id, p_origin);
    read_mark := read_mark();
    RETURN;
  END IF;
  result := find_stored_result(p_organization_id, p_idempotency);
  IF result IS NULL THEN
    -- The lock is held until the transaction ends. If it is taken, another call with this key is in flight. If it is free, read the
    -- stored result again, because such a call may have ended after the first read.
    IF NOT pg_try_advisory_xact_lock(hashtextextended(concat_ws(E'\n', p_organization_id, p_idempotency->>'operation', p_idempotency->>'key'), 0)) THEN
      PERFORM refuse('idempotency_in_flight');
    END IF;
    result := find_stored_result(p_organization_id, p_idempotency);
  END IF;
  replayed := result IS NOT NULL;
  IF NOT replayed THEN
    PERFORM lock_organization_state(p_organization_id, 'stored_results', deletes_records(p_function));
    result := run_write(p_organization_id, p_function, p_input);
    PERFORM store_result(p_organization_id, p_idempotency, result);
    PERFORM append_events(p_organization_id, p_origin);
  END IF;
  read_mark := read_mark();
END
$$;
