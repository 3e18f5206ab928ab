-- Bulk calls: one function runs for many items in one transaction.

-- p_input: {function, items: [{index, input}], answers}. `index` is the place of an item in the request. Runs the items in their order, and
-- applies all or none. If any item is refused, the call is refused with the reasons by index. The caller may then call again without the
-- refused items. `answers` are the results of items that the caller itself refused, by index. They are returned together with
-- the other results.
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
      v_result := CASE p_input->>'function'
        WHEN 'create_opportunity' THEN create_opportunity(p_organization_id, v_item.input)
        WHEN 'update_opportunity' THEN update_opportunity(p_organization_id, v_item.input)
        WHEN 'create_contact' THEN create_contact(p_organization_id, v_item.input)
        WHEN 'update_contact' THEN update_contact(p_organization_id, v_item.input)
        WHEN 'create_account' THEN create_account(p_organization_id, v_item.input)
        WHEN 'update_account' THEN update_account(p_organization_id, v_item.input)
      END;
      v_answers := v_answers || jsonb_build_object(v_item.index, v_result);
      v_events := v_events || take_events();
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      v_refusals := v_refusals || jsonb_build_object(v_item.index, SQLERRM::jsonb);
    END;
  END LOOP;
  IF v_refusals <> '{}' THEN
    PERFORM refuse('items_refused', v_refusals);
  END IF;
  PERFORM collect_events(v_events);
  RETURN v_answers;
END
$$;
