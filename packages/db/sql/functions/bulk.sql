-- Bulk calls: one function runs for many items in one transaction.
--
-- An item is {index, key, input}. `index` is its place in the request. `key` is the domain or email of a create, or null. bulk_locks.sql
-- prepares the items.

-- p_input: {function, items, answers, refuses_races}. Applies all items or none. If any item is refused, the call fails with SQLSTATE
-- CRM02 and the reasons by index. The caller may then call again without the refused items.
--
-- * Missing accounts and contacts are inserted first, in key order, so that parallel calls insert them in the same order. Items that share
--   an external id are not inserted in this step: only their new natural keys are claimed (insert_items). All remaining items run in the
--   order of the request. Creates of opportunities run in key order instead, unless two items share an external id or an item changes a
--   natural key (v_moves in prepare_opportunity_items).
-- * `answers` are the results of items that the caller itself refused, by index. They are returned together with the other results.
-- * An earlier item can change the key by which a later item finds its record. The later item may then need a lock that the call does not
--   hold. With `refuses_races`, this item is refused. Without it, the call raises serialization_failure and the caller retries it.
CREATE OR REPLACE FUNCTION write_many(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_function text := p_input->>'function';
  v_items jsonb := p_input->'items';
  v_answers jsonb := p_input->'answers';
  v_external_ids jsonb;
  v_refusals jsonb := '{}';
  v_locked_ids uuid[];
  v_renamed_ids uuid[] := '{}';
  v_name_ids uuid[];
  v_item record;
  v_result jsonb;
  v_kind text;
  v_facts text;
  v_events text[] := '{}';
BEGIN
  v_external_ids := jsonb_path_query_array(v_items, '$[*].input.change.set.external_id');
  IF v_external_ids <> '[]' THEN
    PERFORM lock_external_ids(p_organization_id, split_part(v_function, '_', 2), v_external_ids);
  END IF;
  SELECT i.p_items, v_answers || i.p_answers INTO v_items, v_answers FROM insert_items(p_organization_id, v_function, v_items) i;
  v_items := (SELECT coalesce(jsonb_agg(i.value ORDER BY i.ordinality), '[]')
                FROM jsonb_array_elements(v_items) WITH ORDINALITY i WHERE NOT v_answers ? (i.value->>'index'));
  IF v_function IN ('create_opportunity', 'update_opportunity') THEN
    SELECT * INTO v_items, v_locked_ids, v_name_ids FROM prepare_opportunity_items(p_organization_id, v_function, v_items);
  ELSIF v_function IN ('create_contact', 'update_contact') THEN
    SELECT * INTO v_locked_ids, v_renamed_ids FROM prepare_contact_items(p_organization_id, v_function, v_items);
  ELSE
    SELECT * INTO v_locked_ids, v_renamed_ids FROM prepare_account_items(p_organization_id, v_function, v_items);
  END IF;
  FOR v_item IN SELECT i.value->>'index' AS index, i.value->'input' AS input FROM jsonb_array_elements(v_items) i LOOP
    BEGIN
      v_result := CASE v_function
        WHEN 'create_opportunity' THEN create_opportunity(p_organization_id, v_item.input, v_locked_ids, v_name_ids)
        WHEN 'update_opportunity' THEN update_opportunity(p_organization_id, v_item.input, v_locked_ids, v_name_ids)
        WHEN 'create_contact' THEN create_contact(p_organization_id, v_item.input, v_locked_ids, v_renamed_ids)
        WHEN 'update_contact' THEN update_contact(p_organization_id, v_item.input, v_locked_ids, v_renamed_ids)
        WHEN 'create_account' THEN create_account(p_organization_id, v_item.input, v_locked_ids, v_renamed_ids)
        WHEN 'update_account' THEN update_account(p_organization_id, v_item.input, v_locked_ids, v_renamed_ids)
      END;
      v_answers := v_answers || jsonb_build_object(v_item.index, v_result);
      v_events := v_events || take_events();
      IF v_result->>'record_status' = 'created' THEN
        -- No other transaction sees a record that this call created, so later items may change it without a lock.
        v_locked_ids := v_locked_ids || (v_result->>'id')::uuid;
      END IF;
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      GET STACKED DIAGNOSTICS v_kind = MESSAGE_TEXT, v_facts = PG_EXCEPTION_DETAIL;
      v_refusals := v_refusals || jsonb_build_object(v_item.index, jsonb_build_object('kind', v_kind, 'facts', v_facts::jsonb));
    WHEN serialization_failure THEN
      IF NOT p_input ? 'refuses_races' THEN
        RAISE;
      END IF;
      v_refusals := v_refusals || jsonb_build_object(v_item.index, '{"kind": "item_raced", "facts": {}}'::jsonb);
    END;
  END LOOP;
  IF v_refusals <> '{}' THEN
    RAISE EXCEPTION USING ERRCODE = 'CRM02', MESSAGE = 'items were refused', DETAIL = v_refusals::text;
  END IF;
  PERFORM collect_events(v_events);
  RETURN v_answers;
END
$$;
