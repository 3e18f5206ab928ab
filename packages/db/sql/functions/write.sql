-- The entry point of all writes of records: one call of `write` is one round trip and one transaction.

-- Whether a write needs the exclusive lock because of its kind or of what its request names: it may rename records, change keys or external
-- ids, or change several records. `write` then takes this lock even if the change itself asks only for the shared one (begin_change).
CREATE OR REPLACE FUNCTION needs_exclusive_lock(p_function text, p_input jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  -- The update of a note has no `change`. Its texts are no names, so it shares the lock.
  v_change jsonb := coalesce(p_input->'change', '{}');
  v_set jsonb := coalesce(v_change->'set', '{}');
BEGIN
  RETURN CASE split_part(p_function, '_', 1)
    WHEN 'preview' THEN false
    WHEN 'create' THEN v_set ? 'external_id'
    WHEN 'update' THEN
      v_set ?| '{name,domain,email,first_name,last_name,external_id}'
      -- Another account or primary contact is another natural key of an opportunity.
      OR v_change ?| '{account_domain,primary_email}' OR p_input ? 'links'
    ELSE true
  END;
END
$$;

-- Calls a write function by name.
CREATE OR REPLACE FUNCTION call_write_function(p_organization_id uuid, p_function text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_input ? 'links' THEN
    p_input := resolve_links(p_organization_id, p_input);
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

-- A refusal in a bulk call. It names the items that created the records in it (`existingItem`, `otherItem`): the call then runs again
-- without the refused items, and these records get other ids. p_answers: the results so far, by the index of the item.
CREATE OR REPLACE FUNCTION item_refusal(p_refusal jsonb, p_answers jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_items jsonb := (
    SELECT jsonb_object_agg(replace(f.key, 'Id', 'Item'), a.key::int)
      FROM jsonb_each_text(p_refusal->'facts') f JOIN jsonb_each(p_answers) a ON a.value->>'id' = f.value
     WHERE f.key IN ('existingId', 'otherId') AND a.value->>'record_status' = 'created');
BEGIN
  RETURN CASE WHEN v_items IS NULL THEN p_refusal ELSE jsonb_set(p_refusal, '{facts}', p_refusal->'facts' || v_items) END;
END
$$;

-- A bulk call: runs one function for many items in one transaction. p_input: {function, items: [{index, input}], answers}. `index` is the
-- place of an item in the request. Runs the items in their order, and applies all or none. If any item is refused, the call is refused with
-- the reasons by index. The caller may then call again without the refused items. `answers` are the results of items that the caller itself
-- refused, by index. They are returned together with the other results.
CREATE OR REPLACE FUNCTION write_many(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_answers jsonb := p_input->'answers';
  v_refusals jsonb := '{}';
  v_item record;
  v_result jsonb;
  v_events text[] := '{}';
BEGIN
  FOR v_item IN SELECT i.value->>'index' AS index, i.value->'input' AS input FROM jsonb_array_elements(p_input->'items') i LOOP
    BEGIN
      v_result := call_write_function(p_organization_id, p_input->>'function', v_item.input);
      v_answers := v_answers || jsonb_build_object(v_item.index, v_result);
      v_events := v_events || take_events();
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      v_refusals := v_refusals || jsonb_build_object(v_item.index, item_refusal(SQLERRM::jsonb, v_answers));
    END;
  END LOOP;
  IF v_refusals <> '{}' THEN
    PERFORM refuse('items_refused', v_refusals);
  END IF;
  PERFORM collect_events(v_events);
  RETURN v_answers;
END
$$;

-- Runs a write function, and stores its result for an Idempotency-Key. With the lock, it first checks that the custom fields exist.
CREATE OR REPLACE FUNCTION run_write(p_organization_id uuid, p_function text, p_input jsonb, p_idempotency jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_result jsonb;
BEGIN
  IF current_setting('crm.lock', true) <> '' THEN
    PERFORM check_fields_exist(p_organization_id, p_function, p_input);
  END IF;
  v_result := call_write_function(p_organization_id, p_function, p_input);
  IF p_idempotency IS NOT NULL THEN
    -- With the lock, also for a result without a change: a deletion of the record then finds the stored result.
    PERFORM begin_change('shared');
    PERFORM store_result(p_organization_id, p_idempotency, v_result);
  END IF;
  RETURN v_result;
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
-- without the header. p_origin: {request_id, api_key_id}, for the events of the write, which are appended last (events.sql). A refused write
-- changes nothing and returns only `refusal`.
--
-- All statements of the write functions look up rows by key. Two settings rely on that. plan_cache_mode makes a session plan each
-- statement once instead of in every call; `crm distribute` replaces this setting (distribute-functions.ts). enable_seqscan keeps
-- sequential scans out of the cached plans. A plan made while a table is small would otherwise still read the whole table after it has
-- grown.
CREATE OR REPLACE FUNCTION write(p_organization_id uuid, p_function text, p_input jsonb, p_idempotency jsonb, p_origin jsonb DEFAULT NULL, OUT result jsonb, OUT replayed boolean, OUT read_mark text, OUT refusal jsonb)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_mode text;
BEGIN
  IF p_idempotency IS NOT NULL THEN
    SELECT f.result, f.refusal INTO result, refusal FROM find_or_claim_result(p_organization_id, p_idempotency) f;
    IF refusal IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;
  replayed := result IS NOT NULL;
  IF NOT replayed THEN
    LOOP
      BEGIN
        result := run_write(p_organization_id, p_function, p_input, p_idempotency);
        EXIT;
      EXCEPTION
        WHEN SQLSTATE 'CRM01' THEN
          refusal := SQLERRM;
          RETURN;
        WHEN SQLSTATE 'CRM03' THEN
          v_mode := CASE WHEN needs_exclusive_lock(p_function, p_input) THEN 'exclusive' ELSE SQLERRM END;
      END;
      PERFORM lock_organization(p_organization_id, v_mode);
    END LOOP;
    PERFORM append_events(p_organization_id, p_origin);
    IF p_function LIKE 'delete%' THEN
      -- The event of the deletion is its last one.
      result := result || jsonb_build_object('position', (SELECT h.position FROM event_heads h WHERE h.organization_id = p_organization_id));
    END IF;
  END IF;
  read_mark := read_mark();
END
$$;
