-- The ids of the items that change one of some columns; of all items without columns.
CREATE OR REPLACE FUNCTION item_ids(p_items jsonb, p_columns text[] DEFAULT NULL) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
  SELECT ARRAY(SELECT (i.value->'input'->>'id')::uuid FROM jsonb_array_elements(p_items) i
                WHERE p_columns IS NULL OR i.value->'input'->'change'->'set' ?| p_columns)
$$;

-- A contact that is there already wants no account, in a bulk call as in a call of its own: the account of its domain may have
-- another domain by now.
CREATE OR REPLACE FUNCTION ensure_related(p_organization_id uuid, p_function text, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_accounts jsonb := (
    SELECT coalesce(jsonb_agg(DISTINCT a.value), '[]')
      FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->'accounts') a
     WHERE CASE p_function
             WHEN 'update_contact' THEN is_moved(p_organization_id, i.value->'input')
             WHEN 'create_contact' THEN (
               SELECT c.id FROM contacts c
                WHERE c.organization_id = p_organization_id AND c.email = i.value->'input'->'change'->'set'->>'email') IS NULL
             ELSE true
           END);
  v_contacts jsonb := (
    SELECT coalesce(jsonb_agg(DISTINCT c.value), '[]')
      FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->'contacts') c);
BEGIN
  PERFORM ensure_accounts(p_organization_id, v_accounts, v_contacts);
  PERFORM ensure_contacts(p_organization_id, v_contacts);
END
$$;

-- Holds the names of every account and contact that the items name.
CREATE OR REPLACE FUNCTION hold_related_names(p_organization_id uuid, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM hold_names(p_organization_id, ARRAY(
    SELECT (SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = n.value->>'domain')
      FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->'accounts') n
    UNION ALL
    SELECT (SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = n.value->>'email')
      FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->'contacts') n), false);
END
$$;

-- Takes every lock that the items will need, in the order that single calls keep: two bulk calls on the same records then wait for
-- each other here rather than in a circle.
CREATE OR REPLACE FUNCTION lock_items(p_organization_id uuid, p_function text, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := item_ids(p_items);
  v_renamed uuid[];
BEGIN
  IF p_function IN ('create_opportunity', 'update_opportunity') THEN
    PERFORM hold_related_names(p_organization_id, p_items);
    PERFORM lock_opportunities(p_organization_id, v_ids);
  ELSIF p_function = 'update_contact' THEN
    v_renamed := item_ids(p_items, '{first_name,last_name,email}');
    PERFORM hold_names(p_organization_id, v_renamed, true);
    PERFORM lock_opportunities(p_organization_id, opportunity_ids_of_contacts(p_organization_id, v_renamed));
    PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = ANY (v_ids) ORDER BY c.id FOR NO KEY UPDATE;
  ELSIF p_function = 'update_account' THEN
    v_renamed := item_ids(p_items, '{name,domain}');
    PERFORM hold_names(p_organization_id, v_renamed, true);
    PERFORM lock_opportunities(p_organization_id, opportunity_ids_of_accounts(p_organization_id, v_renamed));
    PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = ANY (v_ids) ORDER BY a.id FOR NO KEY UPDATE;
  END IF;
END
$$;

-- p_input: {function, items: [{index, key, input}], answers}. All of the items or none: where some are refused, the call ends with
-- SQLSTATE CRM02 and why, by index, and the caller may call again without them. Items with a `key` (creates: the natural key) act in
-- its order, so that parallel calls meet them in one order; equal keys, and items without, act in their own. `answers` are the
-- results, by index, of the items that the caller refused itself; they are handed back beside those of the others.
CREATE OR REPLACE FUNCTION write_many(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_function text := p_input->>'function';
  v_items jsonb := p_input->'items';
  v_answers jsonb := p_input->'answers';
  v_refusals jsonb := '{}';
  v_item record;
  v_result jsonb;
  v_code text;
  v_details text;
BEGIN
  PERFORM ensure_related(p_organization_id, v_function, v_items);
  PERFORM lock_items(p_organization_id, v_function, v_items);
  FOR v_item IN
    SELECT i.value->>'index' AS index, i.value->'input' AS input FROM jsonb_array_elements(v_items) WITH ORDINALITY i
     ORDER BY i.value->>'key' COLLATE "C", i.ordinality
  LOOP
    BEGIN
      v_result := run_write(p_organization_id, v_function, v_item.input);
      v_answers := v_answers || jsonb_build_object(v_item.index, v_result);
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      GET STACKED DIAGNOSTICS v_code = MESSAGE_TEXT, v_details = PG_EXCEPTION_DETAIL;
      v_refusals := v_refusals || jsonb_build_object(v_item.index, jsonb_build_object('code', v_code, 'details', v_details::jsonb));
    END;
  END LOOP;
  IF v_refusals <> '{}' THEN
    RAISE EXCEPTION USING ERRCODE = 'CRM02', MESSAGE = 'items were refused', DETAIL = v_refusals::text;
  END IF;
  RETURN v_answers;
END
$$;
