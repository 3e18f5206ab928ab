-- Before the items of a bulk call run, these functions create missing accounts and contacts, and take all locks that the items need, in
-- the order of locks.sql. So one of two bulk calls on the same records waits here for the other, and they cannot deadlock.

-- The distinct elements of one array of all inputs. p_key: `accounts` or `contacts`.
CREATE OR REPLACE FUNCTION input_values(p_items jsonb, p_key text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(DISTINCT v.value), '[]') FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->p_key) v);
END
$$;

-- Creates the missing accounts of p_items and takes shared name locks on all accounts of p_items. Contacts of these accounts can then be
-- inserted; see ensure_related.
CREATE OR REPLACE FUNCTION ensure_accounts_of_items(p_organization_id uuid, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_accounts jsonb := input_values(p_items, 'accounts');
BEGIN
  PERFORM ensure_accounts(p_organization_id, v_accounts);
  PERFORM share_account_names(p_organization_id, jsonb_path_query_array(v_accounts, '$[*].domain'));
END
$$;

-- The items of a create call whose natural key and external id belong to no record, in key order. Of several items with the same key, only
-- the first one is returned. p_found_ids: for each item, by position, the record with its natural key, or null.
CREATE OR REPLACE FUNCTION missing_items(p_organization_id uuid, p_function text, p_items jsonb, p_found_ids uuid[]) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(m.item ORDER BY m.key COLLATE "C"), '[]') FROM (
    SELECT i.value AS item, i.value->>'key' AS key, row_number() OVER (PARTITION BY i.value->>'key' ORDER BY i.ordinality) AS turn
      FROM jsonb_array_elements(p_items) WITH ORDINALITY i
     WHERE p_found_ids[i.ordinality] IS NULL AND i.value->>'key' IS NOT NULL
       AND (NOT i.value #> '{input,change,set}' ? 'external_id' OR CASE p_function
             WHEN 'create_account' THEN account_of_create(p_organization_id, i.value #> '{input,change,set}') IS NULL
             ELSE contact_of_create(p_organization_id, i.value #> '{input,change,set}') IS NULL END)) m
    WHERE m.turn = 1);
END
$$;

-- The external ids that more than one item has.
CREATE OR REPLACE FUNCTION shared_external_ids(p_items jsonb) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT e.value FROM jsonb_array_elements_text(jsonb_path_query_array(p_items, '$[*].input.change.set.external_id')) e
                WHERE e.value IS NOT NULL GROUP BY e.value HAVING count(*) > 1);
END
$$;

-- Inserts the missing records of a create call, in key order. Returns the results by index in p_answers. There is no result for items whose
-- record already exists or was inserted for an earlier item. Items that share an external id are inserted later, in the order of the
-- call, because each may find the record of an earlier one. Here, their keys are only claimed, and `may_insert` in p_items marks the items
-- whose natural key was free.
CREATE OR REPLACE FUNCTION insert_items(p_organization_id uuid, p_function text, INOUT p_items jsonb, OUT p_answers jsonb) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_keys jsonb := jsonb_path_query_array(p_items, '$[*].key');
  v_shared text[] := shared_external_ids(p_items);
  v_found_ids uuid[];
  v_missing jsonb;
  v_item record;
  v_account accounts;
  v_contact contacts;
  v_events text[] := '{}';
BEGIN
  p_answers := '{}';
  IF p_function NOT IN ('create_account', 'create_contact') THEN
    RETURN;
  END IF;
  v_found_ids := CASE p_function WHEN 'create_account' THEN find_account_ids(p_organization_id, v_keys) ELSE find_contact_ids(p_organization_id, v_keys) END;
  v_missing := missing_items(p_organization_id, p_function, p_items, v_found_ids);
  IF v_shared <> '{}' THEN
    p_items := (SELECT jsonb_agg(
                         CASE WHEN v_found_ids[i.ordinality] IS NULL THEN jsonb_set(i.value, '{input,may_insert}', 'true') ELSE i.value END ORDER BY i.ordinality)
                  FROM jsonb_array_elements(p_items) WITH ORDINALITY i);
  END IF;
  IF p_function = 'create_contact' THEN
    PERFORM ensure_accounts_of_items(p_organization_id, v_missing);
  END IF;
  FOR v_item IN
    SELECT i.value->>'index' AS index, i.value->>'key' AS key, i.value->'input' AS input,
           coalesce(i.value #>> '{input,change,set,external_id}' = ANY (v_shared), false) AS is_shared
      FROM jsonb_array_elements(v_missing) i
  LOOP
    IF p_function = 'create_account' AND v_item.is_shared THEN
      PERFORM claim_domain(p_organization_id, v_item.key);
    ELSIF p_function = 'create_account' THEN
      v_account := insert_account(p_organization_id, v_item.input);
      IF v_account.id IS NOT NULL THEN
        p_answers := p_answers || jsonb_build_object(v_item.index, account_result(v_account, 'created', v_item.input));
      END IF;
    ELSIF v_item.is_shared THEN
      PERFORM claim_email(p_organization_id, v_item.key);
    ELSE
      v_contact := insert_contact(p_organization_id, v_item.input);
      IF v_contact.id IS NOT NULL THEN
        p_answers := p_answers || jsonb_build_object(v_item.index, contact_result(v_contact, 'created', v_item.input));
      END IF;
    END IF;
    v_events := v_events || take_events();
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Takes the locks for the account changes of all items. p_locked_ids: the accounts that change. p_renamed_ids: those of them whose name
-- or domain changes.
CREATE OR REPLACE FUNCTION prepare_account_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked_ids uuid[], OUT p_renamed_ids uuid[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_input jsonb;
  v_id uuid;
  v_found accounts;
  v_change jsonb;
  v_effect record;
  v_domain text;
  v_domains text[] := '{}';
BEGIN
  p_locked_ids := '{}';
  p_renamed_ids := '{}';
  FOR v_input IN SELECT i.value->'input' FROM jsonb_array_elements(p_items) i LOOP
    v_id := v_input->>'id';
    v_change := v_input->'change';
    IF p_function = 'create_account' THEN
      CONTINUE WHEN v_input->>'on_match' = 'keep';
      v_found := account_of_create(p_organization_id, v_change->'set');
      v_id := v_found.id;
      v_change := matched_account_change(v_found, v_input);
    END IF;
    SELECT * INTO v_effect FROM account_effect(p_organization_id, v_id, v_change);
    IF v_effect.is_changed THEN
      p_locked_ids := p_locked_ids || v_id;
    END IF;
    IF v_effect.has_new_name THEN
      p_renamed_ids := p_renamed_ids || v_id;
    END IF;
    IF v_effect.has_new_key THEN
      v_domains := v_domains || (v_input->'change'->'set'->>'domain');
    END IF;
  END LOOP;
  FOR v_domain IN SELECT DISTINCT d COLLATE "C" FROM unnest(v_domains) d ORDER BY 1 LOOP
    PERFORM claim_domain(p_organization_id, v_domain);
  END LOOP;
  PERFORM lock_account_changes(p_organization_id, p_locked_ids, p_renamed_ids);
END
$$;

-- Takes the locks for the contact changes of all items, after creating the accounts that new emails need. p_locked_ids: the contacts that
-- change. p_renamed_ids: those of them whose names or email change.
CREATE OR REPLACE FUNCTION prepare_contact_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked_ids uuid[], OUT p_renamed_ids uuid[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_item jsonb;
  v_input jsonb;
  v_id uuid;
  v_found contacts;
  v_change jsonb;
  v_effect record;
  v_moved jsonb := '[]';
  v_email text;
BEGIN
  p_locked_ids := '{}';
  p_renamed_ids := '{}';
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_items) i LOOP
    v_input := v_item->'input';
    v_id := v_input->>'id';
    v_change := v_input->'change';
    IF p_function = 'create_contact' THEN
      v_found := contact_of_create(p_organization_id, v_change->'set');
      v_id := v_found.id;
      v_change := matched_contact_change(v_found, v_input);
    END IF;
    SELECT * INTO v_effect FROM contact_effect(p_organization_id, v_id, v_change);
    IF v_effect.is_changed THEN
      p_locked_ids := p_locked_ids || v_id;
    END IF;
    IF v_effect.has_new_name THEN
      p_renamed_ids := p_renamed_ids || v_id;
    END IF;
    IF v_effect.has_new_key THEN
      v_moved := v_moved || v_item;
    END IF;
  END LOOP;
  -- If one item changes a contact's email, a later item may change it back. So all items that set the email of such a contact are
  -- included. A create changes an email only if it found the contact by its external id.
  v_moved := (SELECT coalesce(jsonb_agg(i.value), '[]') FROM jsonb_array_elements(p_items) i
               WHERE i.value #> '{input,change,set}' ? 'email' AND CASE p_function
                 WHEN 'create_contact' THEN i.value #> '{input,change,set,external_id}' IN (
                   SELECT m.value #> '{input,change,set,external_id}' FROM jsonb_array_elements(v_moved) m)
                 ELSE i.value->'input'->'id' IN (SELECT m.value->'input'->'id' FROM jsonb_array_elements(v_moved) m) END);
  PERFORM ensure_accounts_of_items(p_organization_id, v_moved);
  FOR v_email IN SELECT DISTINCT m.value->'input'->'change'->'set'->>'email' COLLATE "C" FROM jsonb_array_elements(v_moved) m ORDER BY 1 LOOP
    PERFORM claim_email(p_organization_id, v_email);
  END LOOP;
  PERFORM lock_contact_changes(p_organization_id, p_locked_ids, p_renamed_ids);
END
$$;

-- Claims the natural keys that items give to existing opportunities, in the order in which other calls create and claim keys. The
-- opportunities are already locked. If several items change one opportunity, each change is applied to the result of the previous one.
CREATE OR REPLACE FUNCTION claim_changed_keys(p_organization_id uuid, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_input jsonb;
  v_old opportunities;
  v_new opportunities;
  v_changed opportunities[] := '{}';
BEGIN
  FOR v_input IN SELECT i.value->'input' FROM jsonb_array_elements(p_items) i LOOP
    CONTINUE WHEN NOT (v_input->'change'->'set' ? 'name' OR v_input->'change' ?| '{account_domain,primary_email}');
    SELECT * INTO v_old FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = (v_input->>'id')::uuid;
    CONTINUE WHEN NOT FOUND;
    FOREACH v_new IN ARRAY v_changed LOOP
      IF v_new.id = v_old.id THEN
        v_old := v_new;
      END IF;
    END LOOP;
    v_new := changed_opportunity(v_old, v_input->'change');
    IF opportunity_key(v_new) <> opportunity_key(v_old) THEN
      v_changed := v_changed || v_new;
    END IF;
  END LOOP;
  FOR v_new IN SELECT c.* FROM unnest(v_changed) c ORDER BY opportunity_key(c) COLLATE "C" LOOP
    PERFORM claim_opportunity_key(v_new);
  END LOOP;
END
$$;

-- Creates the missing accounts and contacts of all items, and takes the locks for the opportunity changes. p_locked_ids: the
-- opportunities that change. p_name_ids: the accounts and contacts whose name locks are held.
--
-- For creates, p_items returns the items in key order. They keep the order of the request in two cases (v_moves): two items have the same
-- external id, or an item changes the natural key of the opportunity that it found by external id.
CREATE OR REPLACE FUNCTION prepare_opportunity_items(p_organization_id uuid, p_function text, INOUT p_items jsonb, OUT p_locked_ids uuid[], OUT p_name_ids uuid[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_accounts jsonb := input_values(p_items, 'accounts');
  v_contacts jsonb := input_values(p_items, 'contacts');
  v_account_ids uuid[];
  v_contact_ids uuid[];
  v_input jsonb;
  v_change jsonb;
  v_new opportunities;
  v_old opportunities;
  v_id uuid;
  v_rows opportunities[] := '{}';
  v_keys text[] := '{}';
  v_has_external_ids boolean := jsonb_path_exists(p_items, '$[*].input.change.set.external_id');
  v_external_ids text[] := '{}';
  v_moves boolean := false;
BEGIN
  p_locked_ids := '{}';
  PERFORM ensure_related(p_organization_id, v_accounts, v_contacts);
  v_account_ids := share_account_names(p_organization_id, jsonb_path_query_array(v_accounts, '$[*].domain'));
  v_contact_ids := share_contact_names(p_organization_id, jsonb_path_query_array(v_contacts, '$[*].email'));
  p_name_ids := v_account_ids || v_contact_ids;
  FOR v_input IN SELECT i.value->'input' FROM jsonb_array_elements(p_items) i LOOP
    v_id := v_input->>'id';
    v_change := v_input->'change';
    IF p_function = 'create_opportunity' THEN
      v_new := new_opportunity(p_organization_id, v_input);
      v_id := opportunity_id_of_create(v_new);
      v_change := matched_opportunity_change(v_new, v_id, v_input);
      IF v_new.external_id IS NOT NULL THEN
        v_moves := v_moves OR v_new.external_id = ANY (v_external_ids);
        v_external_ids := v_external_ids || v_new.external_id;
        SELECT * INTO v_old FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id;
        IF FOUND THEN
          v_new := changed_opportunity(v_old, v_change);
          v_moves := v_moves OR opportunity_key(v_new) <> opportunity_key(v_old);
        END IF;
      END IF;
      IF v_has_external_ids THEN
        v_rows := v_rows || v_new;
      END IF;
      v_keys := v_keys || opportunity_key(v_new);
    END IF;
    IF opportunity_is_changed(p_organization_id, v_id, v_change) THEN
      p_locked_ids := p_locked_ids || v_id;
    END IF;
  END LOOP;
  PERFORM lock_opportunities(p_organization_id, p_locked_ids);
  IF p_function = 'create_opportunity' THEN
    -- Taken before the first insert, because foreign keys of an insert lock stages. A change of the setup that holds this lock
    -- exclusively may be about to update those stages, and the two calls could deadlock.
    PERFORM lock_organization_state(p_organization_id, 'visible_fields', false);
    IF v_moves THEN
      -- The items run in the order of the request, so their keys are claimed first, in key order.
      FOR v_new IN SELECT r.* FROM unnest(v_rows) r WHERE r.name IS NOT NULL ORDER BY opportunity_key(r) COLLATE "C" LOOP
        PERFORM claim_opportunity_key(v_new);
      END LOOP;
    ELSE
      p_items := (SELECT coalesce(jsonb_agg(i.value ORDER BY v_keys[i.ordinality] COLLATE "C", i.ordinality), '[]')
                    FROM jsonb_array_elements(p_items) WITH ORDINALITY i);
    END IF;
  ELSE
    PERFORM claim_changed_keys(p_organization_id, p_items);
  END IF;
END
$$;
