-- Changes of accounts.
--
-- A change is {set, derived, custom_fields, normalized}: the columns in the request, the columns computed from them, and patches of the
-- two JSON columns. A missing key keeps its value; null clears it. A new record is a change to an empty row.

-- The account with an id; a row of nulls if there is none. If it is missing, the call looks again with the lock of the organization:
-- another call may have deleted an account that this call has just found.
CREATE OR REPLACE FUNCTION read_account(p_organization_id uuid, p_id uuid) RETURNS accounts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row accounts;
BEGIN
  PERFORM lock_record(p_organization_id, 'account', p_id);
  SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id;
  IF NOT FOUND THEN
    PERFORM begin_change('shared');
  END IF;
  RETURN v_row;
END
$$;

-- The account with a change applied, including the columns that are computed from others.
CREATE OR REPLACE FUNCTION changed_account(p_row accounts, p_change jsonb) RETURNS accounts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(p_row, coalesce(p_change->'set', '{}') || coalesce(p_change->'derived', '{}'));
BEGIN
  v_row.custom_fields := merge_patch(v_row.custom_fields, p_change->'custom_fields');
  v_row.normalized := merge_patch(v_row.normalized, p_change->'normalized');
  v_row.search_text := concat_ws(' ', v_row.normalized_name, v_row.domain);
  RETURN v_row;
END
$$;

-- Updates all columns of an account that can change.
CREATE OR REPLACE FUNCTION update_account_row(n accounts) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE accounts a SET
      (domain, external_id, name, normalized_name, industry, description, website, employee_range, is_freemail, custom_fields, normalized, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.domain, n.external_id, n.name, n.normalized_name, n.industry, n.description, n.website, n.employee_range, n.is_freemail, n.custom_fields, n.normalized, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8, n.updated_at, n.version)
    WHERE a.organization_id = n.organization_id AND a.id = n.id;
END
$$;

-- Copies an account's name and domain to its opportunities.
CREATE OR REPLACE FUNCTION copy_account_texts(p_account accounts) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE opportunities o
     SET search_text = o.normalized_name || ' ' || p_account.search_text, account_domain = p_account.domain,
         account_name_key = left(p_account.normalized_name, 200)
    WHERE o.organization_id = p_account.organization_id AND o.account_id = p_account.id;
END
$$;

-- Stores a changed account and updates the copies in its opportunities. Returns the event.
CREATE OR REPLACE FUNCTION store_account(p_old accounts, p_new accounts) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new accounts := p_new;
BEGIN
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  PERFORM update_account_row(v_new);
  IF v_new.search_text <> p_old.search_text THEN
    PERFORM copy_account_texts(v_new);
  END IF;
  RETURN change_event('account', account_event_record(p_old), account_event_record(v_new));
END
$$;

-- Applies a change to an account, the result of read_account. Returns whether anything changed.
CREATE OR REPLACE FUNCTION change_account(p_old accounts, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new accounts := changed_account(p_old, p_change);
BEGIN
  PERFORM check_version(p_old.version, p_change);
  IF v_new IS NOT DISTINCT FROM p_old THEN
    RETURN false;
  END IF;
  PERFORM begin_change(CASE WHEN v_new.search_text <> p_old.search_text THEN 'exclusive' ELSE 'shared' END);
  IF v_new.domain <> p_old.domain THEN
    PERFORM check_key_is_free('account', 'domain', nullif(find_account_id(v_new.organization_id, v_new.domain), v_new.id));
    DELETE FROM account_aliases l WHERE l.organization_id = v_new.organization_id AND l.domain = v_new.domain;
  END IF;
  IF v_new.external_id IS DISTINCT FROM p_old.external_id THEN
    PERFORM check_key_is_free('account', 'external_id', (
      SELECT a.id FROM accounts a WHERE a.organization_id = v_new.organization_id AND a.external_id = v_new.external_id));
  END IF;
  PERFORM collect_events(ARRAY[store_account(p_old, v_new)]);
  RETURN true;
END
$$;

-- p_input: {id, change}.
CREATE OR REPLACE FUNCTION update_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_account(read_account(p_organization_id, (p_input->>'id')::uuid), p_input->'change') THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id, version, batch: {rows, bytes}}. Refuses to delete an account that has contacts or opportunities. First removes the account
-- from its notes, in several calls if there are many (contact_deletion.sql).
CREATE OR REPLACE FUNCTION delete_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts := read_account(p_organization_id, (p_input->>'id')::uuid);
  v_contacts bigint;
  v_opportunities bigint;
BEGIN
  PERFORM check_version(v_old.version, p_input);
  PERFORM begin_change('exclusive');
  SELECT count(*) INTO v_contacts FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_old.id;
  SELECT count(*) INTO v_opportunities FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_old.id;
  IF v_contacts + v_opportunities > 0 THEN
    PERFORM refuse('account_in_use', jsonb_build_object('contacts', v_contacts, 'opportunities', v_opportunities));
  END IF;
  IF NOT detach_notes(p_organization_id, 'account', v_old.id, p_input->'batch')
    OR NOT delete_results_of_record(p_organization_id, v_old.id, (p_input->'batch'->>'rows')::int) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_old.id;
  PERFORM collect_events(ARRAY[deletion_event('account', account_event_record(v_old))]);
  RETURN jsonb_build_object('id', v_old.id);
END
$$;
