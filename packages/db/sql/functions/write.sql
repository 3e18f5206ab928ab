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
    WHEN 'create' THEN v_set ? 'external_id' OR p_input ? 'id'
      OR p_input ?| '{primary_contact,note}'
    WHEN 'update' THEN
      v_set ?| '{name,domain,email,first_name,last_name,external_id}'
      -- Another account or primary contact is another natural key of an opportunity.
      OR v_change ?| '{account_domain,primary_email}' OR p_input ? 'links'
    ELSE p_function <> 'write_many' OR NOT creates_records(p_function, p_input)
      OR jsonb_path_exists(p_input, '$.items[*].input ? (exists (@.id) || exists (@.change.set.external_id))')
      OR jsonb_path_exists(p_input, '$.items[*].input ? (exists (@.primary_contact) || exists (@.note))')
  END;
END
$$;

-- Whether a write creates records: a create, creates of several requests, or a bulk call of creates.
CREATE OR REPLACE FUNCTION creates_records(p_function text, p_input jsonb) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN p_function = 'write_many' THEN p_input->>'function' ELSE p_function END LIKE 'create\_%';
END
$$;

-- Calls a write function that is no create, by name.
CREATE OR REPLACE FUNCTION call_write_function(p_organization_id uuid, p_function text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_input ? 'links' THEN
    p_input := resolve_links(p_organization_id, p_input);
  END IF;
  RETURN CASE p_function
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

-- Runs a function that is no create for all items of a bulk call, in their order.
CREATE OR REPLACE FUNCTION change_records(p_organization_id uuid, p_function text, p_inputs jsonb[], OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  answers := array_fill(NULL::jsonb, ARRAY[cardinality(p_inputs)]);
  refusals := answers;
  new_events := '{}';
  FOR n IN 1 .. cardinality(p_inputs) LOOP
    BEGIN
      answers[n] := call_write_function(p_organization_id, p_function, p_inputs[n]);
      new_events := new_events || take_events(n);
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      refusals[n] := SQLERRM;
    END;
  END LOOP;
END
$$;

-- A bulk call: runs one function for many items in one transaction. p_input: {function, items: [{index, input}], answers}. `index` is the
-- place of an item in the request. Applies all items or none. If any item is refused, the call is refused with the reasons by index. The
-- caller may then call again without the refused items. `answers` are the results of items that the caller itself refused, by index. They
-- are returned together with the other results.
CREATE OR REPLACE FUNCTION write_many(p_organization_id uuid, p_input jsonb, OUT result jsonb, OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_function text := p_input->>'function';
  v_items jsonb[] := ARRAY(SELECT i FROM jsonb_array_elements(p_input->'items') i);
  v_inputs jsonb[] := ARRAY(SELECT i->'input' FROM unnest(v_items) i);
  v_written record;
  v_refusals jsonb;
BEGIN
  result := p_input->'answers';
  new_events := '{}';
  IF v_inputs = '{}' THEN
    RETURN;
  END IF;
  IF creates_records('write_many', p_input) THEN
    v_written := create_records(p_organization_id, v_function, v_inputs);
  ELSE
    v_written := change_records(p_organization_id, v_function, v_inputs);
  END IF;
  result := result || (SELECT coalesce(jsonb_object_agg(u.item->>'index', u.answer), '{}')
    FROM unnest(v_items, v_written.answers) u (item, answer) WHERE u.answer IS NOT NULL);
  v_refusals := (SELECT jsonb_object_agg(u.item->>'index', item_refusal(u.refusal, result))
    FROM unnest(v_items, v_written.refusals) u (item, refusal) WHERE u.refusal IS NOT NULL);
  IF v_refusals IS NOT NULL THEN
    PERFORM refuse('items_refused', v_refusals);
  END IF;
  new_events := v_written.new_events;
END
$$;

-- Creates of several requests in one transaction. p_input: {function, items: [{input, idempotency, origin}]}, with the arguments of `write`
-- for each request. Returns in the order of the items {result, replayed} or {refusal}. If some are refused, the others are run again.
CREATE OR REPLACE FUNCTION create_together(p_organization_id uuid, p_input jsonb, OUT result jsonb, OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_items jsonb[] := ARRAY(SELECT i.value FROM jsonb_array_elements(p_input->'items') WITH ORDINALITY i (value, n) ORDER BY i.n);
  v_count int := cardinality(v_items);
  v_inputs jsonb[];
  v_results jsonb[] := array_fill(NULL::jsonb, ARRAY[v_count]);
  v_stored record;
  v_written record;
BEGIN
  FOR n IN 1 .. v_count LOOP
    v_inputs[n] := v_items[n]->'input' || jsonb_build_object('api_key_id', v_items[n]->'origin'->'api_key_id');
    IF v_items[n] ? 'idempotency' THEN
      v_stored := find_or_claim_result(p_organization_id, v_items[n]->'idempotency');
      IF v_stored.result IS NOT NULL OR v_stored.refusal IS NOT NULL THEN
        v_results[n] := jsonb_build_object('result', v_stored.result, 'replayed', true, 'refusal', v_stored.refusal);
        v_inputs[n] := NULL;
      END IF;
    END IF;
  END LOOP;
  LOOP
    BEGIN
      v_written := create_records(p_organization_id, p_input->>'function', v_inputs);
      EXIT WHEN array_remove(v_written.refusals, NULL) = '{}';
      RAISE EXCEPTION USING ERRCODE = 'CRM04';
    EXCEPTION WHEN SQLSTATE 'CRM04' THEN
      FOR n IN 1 .. v_count LOOP
        IF v_written.refusals[n] IS NOT NULL THEN
          v_results[n] := jsonb_build_object('refusal', v_written.refusals[n]);
          v_inputs[n] := NULL;
        END IF;
      END LOOP;
    END;
  END LOOP;
  FOR n IN 1 .. v_count LOOP
    IF v_inputs[n] IS NOT NULL THEN
      v_results[n] := jsonb_build_object('result', v_written.answers[n], 'replayed', false);
      IF v_items[n] ? 'idempotency' THEN
        PERFORM begin_change('shared');
        PERFORM store_result(p_organization_id, v_items[n]->'idempotency', v_written.answers[n]);
      END IF;
    END IF;
  END LOOP;
  result := to_jsonb(v_results);
  new_events := events_of_origins(v_written.new_events, v_items);
END
$$;

-- The events of creates of several requests, each with the origin of its request. `position` of an event is the number of its item.
CREATE OR REPLACE FUNCTION events_of_origins(p_events events[], p_items jsonb[]) RETURNS events[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_event events;
  v_origin jsonb;
  v_events events[] := '{}';
BEGIN
  FOREACH v_event IN ARRAY p_events LOOP
    v_origin := p_items[v_event.position::int]->'origin';
    v_event.request_id := v_origin->>'request_id';
    v_event.api_key_id := v_origin->>'api_key_id';
    v_event.traceparent := v_origin->>'traceparent';
    v_events := v_events || v_event;
  END LOOP;
  RETURN v_events;
END
$$;

-- Runs a write, and stores its result for an Idempotency-Key. Returns all events of the write. With the lock, it first checks that the custom
-- fields exist.
CREATE OR REPLACE FUNCTION run_write(p_organization_id uuid, p_function text, p_input jsonb, p_idempotency jsonb, OUT result jsonb, OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_written record;
BEGIN
  IF current_setting('crm.lock', true) <> '' THEN
    PERFORM check_fields_exist(p_organization_id, p_function, p_input);
  END IF;
  IF p_function = 'write_many' THEN
    v_written := write_many(p_organization_id, p_input);
    result := v_written.result;
    new_events := v_written.new_events;
  ELSIF p_function = 'create_together' THEN
    v_written := create_together(p_organization_id, p_input);
    result := v_written.result;
    new_events := v_written.new_events;
  ELSIF creates_records(p_function, p_input) THEN
    v_written := create_records(p_organization_id, p_function, ARRAY[p_input]);
    IF v_written.refusals[1] IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'CRM01', MESSAGE = v_written.refusals[1];
    END IF;
    result := v_written.answers[1];
    new_events := v_written.new_events;
  ELSE
    result := call_write_function(p_organization_id, p_function, p_input);
    new_events := take_events();
  END IF;
  IF p_idempotency IS NOT NULL THEN
    -- With the lock, also for a result without a change: a deletion of the record then finds the stored result.
    PERFORM begin_change('shared');
    PERFORM store_result(p_organization_id, p_idempotency, result);
  END IF;
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
-- All statements of the write functions look up rows by key. These settings rely on that. plan_cache_mode makes a session plan each
-- statement once instead of in every call; `crm distribute` replaces this setting (distribute-functions.ts). enable_seqscan keeps
-- sequential scans out of the cached plans. A plan made while a table is small would otherwise still read the whole table after it has
-- grown. Without jit, no statement is compiled, which would take a hundred times as long as running it.
CREATE OR REPLACE FUNCTION write(p_organization_id uuid, p_function text, p_input jsonb, p_idempotency jsonb, p_origin jsonb DEFAULT NULL, OUT result jsonb, OUT replayed boolean, OUT read_mark text, OUT refusal jsonb)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_is_exclusive boolean := needs_exclusive_lock(p_function, p_input);
  v_mode text;
  v_written record;
BEGIN
  IF p_idempotency IS NOT NULL THEN
    SELECT f.result, f.refusal INTO result, refusal FROM find_or_claim_result(p_organization_id, p_idempotency) f;
    IF refusal IS NOT NULL THEN
      RETURN;
    END IF;
  END IF;
  replayed := result IS NOT NULL;
  IF NOT replayed THEN
    PERFORM set_config('crm.api_key_id', coalesce(p_origin->>'api_key_id', ''), true);
    LOOP
      BEGIN
        IF v_mode IS NOT NULL THEN
          PERFORM lock_organization(p_organization_id, v_mode);
        ELSIF creates_records(p_function, p_input) AND NOT v_is_exclusive THEN
          PERFORM try_shared_lock(p_organization_id);
        END IF;
        v_written := run_write(p_organization_id, p_function, p_input, p_idempotency);
        EXIT;
      EXCEPTION
        WHEN SQLSTATE 'CRM01' THEN
          refusal := SQLERRM;
          RETURN;
        WHEN SQLSTATE 'CRM03' THEN
          v_mode := CASE WHEN v_is_exclusive THEN 'exclusive' ELSE SQLERRM END;
      END;
    END LOOP;
    result := v_written.result;
    PERFORM append_events(p_organization_id, p_origin, v_written.new_events);
    IF p_function LIKE 'delete%' THEN
      -- The event of the deletion is its last one.
      result := result || jsonb_build_object('position', (SELECT h.position FROM event_heads h WHERE h.organization_id = p_organization_id));
    END IF;
  END IF;
  read_mark := read_mark();
END
$$;
