-- Bulk calls: many items of one function in one transaction.
--
-- An item is {index, key, input}; `key` is the natural key of a create. A bulk call first takes every lock that its items need, in the
-- order of locks.sql: two bulk calls on the same records then wait for each other there rather than in a circle.

-- The values under one key of all inputs, each once: `accounts` or `contacts`.
CREATE OR REPLACE FUNCTION input_values(p_items jsonb, p_key text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(DISTINCT v.value), '[]') FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->p_key) v);
END
$$;

-- Creates the accounts of p_items, and shares the locks on their names with other calls that create contacts of them.
CREATE OR REPLACE FUNCTION ensure_accounts_of_items(p_organization_id uuid, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_accounts jsonb := input_values(p_items, 'accounts');
BEGIN
  PERFORM ensure_accounts(p_organization_id, v_accounts);
  PERFORM lock_names(p_organization_id, 'account', find_account_ids(p_organization_id, jsonb_path_query_array(v_accounts, '$[*].domain')), false);
END
$$;

-- Creates the records of creates that are not there yet, in the order of their keys. Returns the answers by index; items whose record
-- exists, also because an earlier item created it, have none.
CREATE OR REPLACE FUNCTION insert_items(p_organization_id uuid, p_function text, p_items jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_missing jsonb;
  v_item record;
  v_account accounts;
  v_contact contacts;
  v_answers jsonb := '{}';
BEGIN
  IF p_function NOT IN ('create_account', 'create_contact') THEN
    RETURN v_answers;
  END IF;
  SELECT coalesce(jsonb_agg(i.value ORDER BY i.value->>'key' COLLATE "C", i.ordinality), '[]') INTO v_missing
    FROM jsonb_array_elements(p_items) WITH ORDINALITY i
   WHERE CASE p_function
           WHEN 'create_account' THEN (SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = i.value->>'key')
           ELSE (SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = i.value->>'key')
         END IS NULL;
  IF p_function = 'create_contact' THEN
    PERFORM ensure_accounts_of_items(p_organization_id, v_missing);
  END IF;
  FOR v_item IN SELECT i.value->>'index' AS index, i.value->'input' AS input FROM jsonb_array_elements(v_missing) i LOOP
    IF p_function = 'create_account' THEN
      v_account := insert_account(p_organization_id, v_item.input);
      IF v_account.id IS NOT NULL THEN
        v_answers := v_answers || jsonb_build_object(v_item.index, answer_account(v_account, 'created', v_item.input));
      END IF;
    ELSE
      v_contact := insert_contact(p_organization_id, v_item.input);
      IF v_contact.id IS NOT NULL THEN
        v_answers := v_answers || jsonb_build_object(v_item.index, answer_contact(v_contact, 'created', v_item.input));
      END IF;
    END IF;
  END LOOP;
  RETURN v_answers;
END
$$;

-- Takes the locks for changes of accounts. p_locked: the accounts that change, p_renamed: those that get another name or domain.
CREATE OR REPLACE FUNCTION prepare_account_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked uuid[], OUT p_renamed uuid[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_input jsonb;
  v_id uuid;
  v_effect record;
  v_domain text;
  v_domains text[] := '{}';
BEGIN
  p_locked := '{}';
  p_renamed := '{}';
  FOR v_input IN SELECT i.value->'input' FROM jsonb_array_elements(p_items) i LOOP
    v_id := v_input->>'id';
    IF p_function = 'create_account' THEN
      CONTINUE WHEN v_input->>'on_match' = 'keep';
      v_id := (SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_input->'change'->'set'->>'domain');
    END IF;
    SELECT * INTO v_effect FROM account_effect(p_organization_id, v_id, v_input->'change');
    IF v_effect.changed THEN
      p_locked := p_locked || v_id;
    END IF;
    IF v_effect.renamed THEN
      p_renamed := p_renamed || v_id;
    END IF;
    IF v_effect.rekeyed THEN
      v_domains := v_domains || (v_input->'change'->'set'->>'domain');
    END IF;
  END LOOP;
  FOR v_domain IN SELECT DISTINCT d COLLATE "C" FROM unnest(v_domains) d ORDER BY 1 LOOP
    PERFORM claim_domain(p_organization_id, v_domain);
  END LOOP;
  PERFORM lock_account_changes(p_organization_id, p_locked, p_renamed);
END
$$;

-- Takes the locks for changes of contacts. p_locked: the contacts that change, p_renamed: those that get another name or email.
CREATE OR REPLACE FUNCTION prepare_contact_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked uuid[], OUT p_renamed uuid[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_item jsonb;
  v_input jsonb;
  v_id uuid;
  v_change jsonb;
  v_effect record;
  v_moved jsonb := '[]';
  v_email text;
BEGIN
  p_locked := '{}';
  p_renamed := '{}';
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_items) i LOOP
    v_input := v_item->'input';
    v_id := v_input->>'id';
    v_change := v_input->'change';
    IF p_function = 'create_contact' THEN
      v_id := (SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = v_change->'set'->>'email');
      v_change := matched_contact_change(v_input);
    END IF;
    SELECT * INTO v_effect FROM contact_effect(p_organization_id, v_id, v_change);
    IF v_effect.changed THEN
      p_locked := p_locked || v_id;
    END IF;
    IF v_effect.renamed THEN
      p_renamed := p_renamed || v_id;
    END IF;
    IF v_effect.rekeyed THEN
      v_moved := v_moved || v_item;
    END IF;
  END LOOP;
  -- An item may give a contact its old email back after another item changed it, so all items of these contacts count.
  v_moved := (SELECT coalesce(jsonb_agg(i.value), '[]') FROM jsonb_array_elements(p_items) i
               WHERE i.value->'input'->'change'->'set' ? 'email' AND i.value->'input'->'id' IN (SELECT m.value->'input'->'id' FROM jsonb_array_elements(v_moved) m));
  PERFORM ensure_accounts_of_items(p_organization_id, v_moved);
  FOR v_email IN SELECT DISTINCT m.value->'input'->'change'->'set'->>'email' COLLATE "C" FROM jsonb_array_elements(v_moved) m ORDER BY 1 LOOP
    PERFORM claim_email(p_organization_id, v_email);
  END LOOP;
  PERFORM lock_contact_changes(p_organization_id, p_locked, p_renamed);
END
$$;

-- Creates the accounts and contacts that opportunities name, and takes the locks for their changes. p_locked: the opportunities that
-- change, p_names: the accounts and contacts whose names are locked.
CREATE OR REPLACE FUNCTION prepare_opportunity_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked uuid[], OUT p_names uuid[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_accounts jsonb := input_values(p_items, 'accounts');
  v_contacts jsonb := input_values(p_items, 'contacts');
  v_account_ids uuid[];
  v_contact_ids uuid[];
  v_input jsonb;
  v_new opportunities;
  v_id uuid;
BEGIN
  p_locked := '{}';
  PERFORM ensure_related(p_organization_id, v_accounts, v_contacts);
  v_account_ids := find_account_ids(p_organization_id, jsonb_path_query_array(v_accounts, '$[*].domain'));
  v_contact_ids := find_contact_ids(p_organization_id, jsonb_path_query_array(v_contacts, '$[*].email'));
  PERFORM lock_names(p_organization_id, 'account', v_account_ids, false);
  PERFORM lock_names(p_organization_id, 'contact', v_contact_ids, false);
  p_names := v_account_ids || v_contact_ids;
  FOR v_input IN SELECT i.value->'input' FROM jsonb_array_elements(p_items) i LOOP
    v_id := v_input->>'id';
    IF p_function = 'create_opportunity' THEN
      v_new := new_opportunity(p_organization_id, v_input);
      v_id := opportunity_id_of_key(v_new);
    END IF;
    IF opportunity_is_changed(p_organization_id, v_id, CASE p_function
         WHEN 'create_opportunity' THEN matched_opportunity_change(v_new, v_input) ELSE v_input->'change' END) THEN
      p_locked := p_locked || v_id;
    END IF;
  END LOOP;
  PERFORM lock_opportunities(p_organization_id, p_locked);
END
$$;

-- p_input: {function, items, answers}. Writes all of the items or none: where some are refused, the call ends with SQLSTATE CRM02 and
-- the reasons by index, and the caller may call again without those items. Creates act in the order of their keys, so that parallel
-- calls meet new records in one order; equal keys, and updates, act in their own order. `answers` are the results, by index, of items
-- that the caller refused itself; they are returned beside those of the others.
CREATE OR REPLACE FUNCTION write_many(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_function text := p_input->>'function';
  v_items jsonb := p_input->'items';
  v_answers jsonb := (p_input->'answers') || insert_items(p_organization_id, v_function, v_items);
  v_refusals jsonb := '{}';
  v_locked uuid[];
  v_renamed uuid[] := '{}';
  v_names uuid[];
  v_item record;
  v_result jsonb;
  v_code text;
  v_details text;
BEGIN
  v_items := (SELECT coalesce(jsonb_agg(i.value ORDER BY i.value->>'key' COLLATE "C", i.ordinality), '[]')
                FROM jsonb_array_elements(v_items) WITH ORDINALITY i WHERE NOT v_answers ? (i.value->>'index'));
  IF v_function IN ('create_opportunity', 'update_opportunity') THEN
    SELECT * INTO v_locked, v_names FROM prepare_opportunity_items(p_organization_id, v_function, v_items);
  ELSIF v_function IN ('create_contact', 'update_contact') THEN
    SELECT * INTO v_locked, v_renamed FROM prepare_contact_items(p_organization_id, v_function, v_items);
  ELSE
    SELECT * INTO v_locked, v_renamed FROM prepare_account_items(p_organization_id, v_function, v_items);
  END IF;
  FOR v_item IN SELECT i.value->>'index' AS index, i.value->'input' AS input FROM jsonb_array_elements(v_items) i LOOP
    BEGIN
      v_result := CASE v_function
        WHEN 'create_opportunity' THEN create_opportunity(p_organization_id, v_item.input, v_locked, v_names)
        WHEN 'update_opportunity' THEN update_opportunity(p_organization_id, v_item.input, v_locked, v_names)
        WHEN 'create_contact' THEN create_contact(p_organization_id, v_item.input, v_locked, v_renamed)
        WHEN 'update_contact' THEN update_contact(p_organization_id, v_item.input, v_locked, v_renamed)
        WHEN 'create_account' THEN create_account(p_organization_id, v_item.input, v_locked, v_renamed)
        WHEN 'update_account' THEN update_account(p_organization_id, v_item.input, v_locked, v_renamed)
      END;
      v_answers := v_answers || jsonb_build_object(v_item.index, v_result);
      IF v_result->>'record_status' = 'created' THEN
        -- Nobody else can see what this call created, so later items may change it.
        v_locked := v_locked || (v_result->>'id')::uuid;
      END IF;
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
