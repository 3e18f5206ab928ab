-- Accounts: creating, changing and deleting them. accounts_and_contacts.sql has what contacts need too.

-- A new account without its id. p_input: {defaults: columns of a new account, change}.
CREATE OR REPLACE FUNCTION new_account(p_organization_id uuid, p_input jsonb, p_account_id uuid) RETURNS accounts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(NULL::accounts, '{"custom_fields": {}, "normalized": {}, "version": 1}' || (p_input->'defaults'));
BEGIN
  v_row.organization_id := p_organization_id;
  RETURN changed_account(v_row, p_input->'change');
END
$$;

-- The change that a create makes to the account that it found; null with on_match keep. An account that was found by an alias keeps its
-- domain. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION matched_account_change(p_row accounts, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_input->>'on_match' = 'keep' THEN
    RETURN NULL;
  ELSIF sends_new_domain(p_row, p_input->'change'->'set') THEN
    RETURN p_input->'change';
  END IF;
  RETURN (p_input->'change') #- '{set,domain}' #- '{derived,is_freemail}';
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
  v_row.empty_slots := empty_slots_of(v_row);
  RETURN v_row;
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

-- Applies a change to an account, the result of read_account. Returns whether anything changed.
CREATE OR REPLACE FUNCTION change_account(p_old accounts, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new accounts := changed_account(p_old, p_change);
  v_domains jsonb := additional_domains(p_old.organization_id, p_old.id);
BEGIN
  PERFORM check_version(p_old.version, p_change);
  IF p_change ? 'if_stored' THEN
    PERFORM check_if_stored(to_jsonb(p_old), p_change);
  END IF;
  IF v_new IS NOT DISTINCT FROM p_old THEN
    RETURN false;
  END IF;
  PERFORM begin_change(CASE WHEN account_is_renamed(p_old, v_new) THEN 'exclusive' ELSE 'shared' END);
  IF v_new.domain <> p_old.domain THEN
    PERFORM check_key_is_free('account', 'domain', nullif(find_account_id(v_new.organization_id, v_new.domain), v_new.id));
    DELETE FROM account_aliases l WHERE l.organization_id = v_new.organization_id AND l.domain = v_new.domain;
  END IF;
  IF v_new.external_id IS DISTINCT FROM p_old.external_id THEN
    PERFORM check_key_is_free('account', 'external_id', account_id_of_external_id(v_new.organization_id, v_new.external_id));
  END IF;
  PERFORM collect_events(ARRAY[store_account(p_old, v_new, v_domains)]);
  RETURN true;
END
$$;

-- p_input: {id, version, batch: {rows, bytes}}. Refuses to delete an account that has contacts or opportunities. First removes the account
-- from its notes, in several calls if there are many (contact_deletion.sql).
CREATE OR REPLACE FUNCTION delete_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts := read_account(p_organization_id, (p_input->>'id')::uuid);
  v_contacts bigint;
  v_opportunities bigint;
  v_domains jsonb := additional_domains(p_organization_id, v_old.id);
BEGIN
  PERFORM check_version(v_old.version, p_input);
  PERFORM begin_change('exclusive');
  SELECT count(*) INTO v_contacts FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_old.id;
  SELECT count(*) INTO v_opportunities FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_old.id;
  IF v_contacts + v_opportunities > 0 THEN
    PERFORM refuse('account_in_use', jsonb_build_object('contacts', v_contacts, 'opportunities', v_opportunities));
  END IF;
  IF NOT detach_account_notes(p_organization_id, v_old.id, p_input->'batch')
    OR NOT delete_results_of_record(p_organization_id, v_old.id, (p_input->'batch'->>'rows')::int) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_old.id;
  PERFORM collect_events(ARRAY[deletion_event('account', account_event_record(v_old, v_domains))]);
  RETURN jsonb_build_object('id', v_old.id);
END
$$;
