-- Opportunities: creating, updating and deleting them. opportunity_changes.sql explains changes.

-- Inserts an opportunity with the links to its additional contacts. Returns a null id if a parallel call inserted the natural key first.
-- If p_row has an id, the opportunity is restored.
CREATE OR REPLACE FUNCTION insert_opportunity(p_row opportunities, p_additional_ids uuid[]) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
BEGIN
  PERFORM begin_change('shared');
  PERFORM check_place_is_active(v_row, v_row.id IS NOT NULL);
  v_row := copy_related_texts(v_row);
  IF v_row.id IS NULL THEN
    v_row.created_at := write_time();
    v_row.updated_at := v_row.created_at;
    v_row.id := new_id(v_row.created_at);
  END IF;
  v_row.record := opportunity_record(v_row, p_additional_ids);
  INSERT INTO opportunities VALUES (v_row.*) ON CONFLICT (organization_id, pipeline_id, account_key, name) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
    RETURN v_row;
  END IF;
  PERFORM add_contact_links(v_row.organization_id, v_row.id, p_additional_ids);
  PERFORM collect_events(ARRAY[creation_event('opportunity', CASE WHEN p_row.id IS NULL THEN 'created' ELSE 'restored' END, opportunity_event_record(v_row, p_additional_ids))]);
  RETURN v_row;
END
$$;

-- The domain of the account of a new opportunity whose primary contact comes by external id, without an account: that of the contact,
-- unless it is free mail.
CREATE OR REPLACE FUNCTION account_domain_of_linked(p_organization_id uuid, p_input jsonb) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_account_id uuid;
  v_domain text;
BEGIN
  IF p_input ? 'takes_account_of_contact' THEN
    SELECT c.account_id INTO v_account_id FROM contacts c
      WHERE c.organization_id = p_organization_id AND c.email = p_input->'change'->>'primary_email';
    SELECT a.domain INTO v_domain FROM accounts a
      WHERE a.organization_id = p_organization_id AND a.id = v_account_id AND NOT a.is_freemail;
  END IF;
  RETURN v_domain;
END
$$;

-- Builds the row of a new opportunity, without an id. p_input is that of create_opportunity; its accounts and contacts exist.
CREATE OR REPLACE FUNCTION new_opportunity(p_organization_id uuid, p_input jsonb) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := jsonb_populate_record(NULL::opportunities, '{"custom_fields": {}, "normalized": {}, "version": 1}' || (p_input->'defaults'));
BEGIN
  v_row.organization_id := p_organization_id;
  v_row.account_id := find_account_id(p_organization_id, coalesce(p_input->>'account_domain', account_domain_of_linked(p_organization_id, p_input)));
  RETURN changed_opportunity(v_row, p_input->'change');
END
$$;

-- The existing opportunity that a create refers to: the one with its external id, else the one with its natural key, else null. p_row:
-- the result of new_opportunity.
CREATE OR REPLACE FUNCTION opportunity_id_of_create(p_row opportunities) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN coalesce(CASE WHEN p_row.external_id IS NOT NULL THEN opportunity_id_of_external_id(p_row.organization_id, p_row.external_id) END,
    opportunity_id_of_key(p_row));
END
$$;

-- Refuses a create with an external id like create_account does (accounts_and_contacts.sql), and also if the external id belongs to an opportunity of another pipeline.
CREATE OR REPLACE FUNCTION check_opportunity_keys(p_row opportunities, p_found_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_key_id uuid := opportunity_id_of_key(p_row);
BEGIN
  PERFORM check_create_keys('opportunity', p_found_id, v_key_id, p_row.name IS NOT NULL);
  PERFORM check_opportunity_external_id(p_row.organization_id, v_key_id, p_row.external_id);
  PERFORM check_key_is_free('opportunity', 'external_id', (
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_row.organization_id AND o.id = p_found_id AND o.pipeline_id <> p_row.pipeline_id));
END
$$;

-- The change that a create makes to the opportunity that it found. With on_match keep, it changes only the contacts. p_input:
-- {account_change, change, on_match}.
CREATE OR REPLACE FUNCTION matched_opportunity_change(p_input jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_input->>'on_match' = 'keep' THEN
    RETURN only_keys(p_input->'change', '{primary_email,additional_emails,contact_limit}') || '{"adds_contacts": true}';
  END IF;
  RETURN (p_input->'change') || coalesce(p_input->'account_change', '{}');
END
$$;

-- Creates an opportunity, or finds the one with the same external id or natural key. With on_match keep, an opportunity that was found
-- gets only the contacts of the request. p_input:
--   accounts, contacts   as for ensure_related
--   account_domain       the domain of the account, or null
--   defaults             columns of a new opportunity
--   change               with primary_email and additional_emails if the request has them
--   account_change       only with an external id: {account_domain} if the request has it
--   on_match             'keep' or 'update'
CREATE OR REPLACE FUNCTION create_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_row opportunities;
  v_id uuid;
  v_status text := 'created';
  v_unapplied jsonb := '[]';
BEGIN
  PERFORM ensure_related(p_organization_id, p_input->'accounts', p_input->'contacts');
  v_row := new_opportunity(p_organization_id, p_input);
  v_id := opportunity_id_of_create(v_row);
  IF v_row.external_id IS NOT NULL THEN
    PERFORM check_opportunity_keys(v_row, v_id);
  END IF;
  IF v_id IS NULL THEN
    PERFORM check_if_stored(NULL, v_change);
    v_row := insert_opportunity(v_row, distinct_contact_ids(
      find_contact_ids(p_organization_id, coalesce(v_change->'additional_emails', '[]')), v_row.contact_id));
  END IF;
  IF v_row.id IS NULL THEN
    v_id := coalesce(v_id, opportunity_id_of_key(v_row));
    v_row := read_opportunity(p_organization_id, v_id);
    IF v_change ? 'if_stored' THEN
      PERFORM check_if_stored(to_jsonb(v_row), v_change);
    END IF;
    v_status := 'matched';
    IF change_opportunity(v_row, matched_opportunity_change(p_input)) THEN
      v_row := read_opportunity(p_organization_id, v_id);
      v_status := 'updated';
    END IF;
    IF p_input->>'on_match' = 'keep' THEN
      v_unapplied := unapplied_values(to_jsonb(v_row) - 'record', v_change);
      IF p_input->'account_change' ? 'account_domain'
         AND find_account_id(p_organization_id, p_input->>'account_domain') IS DISTINCT FROM v_row.account_id THEN
        v_unapplied := v_unapplied || '["account_domain"]';
      END IF;
    END IF;
  END IF;
  RETURN jsonb_build_object('id', v_row.id, 'name', v_row.name, 'amount', trim_scale(v_row.amount), 'currency', v_row.currency,
    'record_status', v_status, 'unapplied', v_unapplied);
END
$$;

-- p_input: {id, accounts, contacts, change}. The result has the amount and its currency if the change sets one of them.
CREATE OR REPLACE FUNCTION update_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
  v_old opportunities;
  v_result jsonb;
BEGIN
  PERFORM ensure_related(p_organization_id, p_input->'accounts', p_input->'contacts');
  v_old := read_opportunity(p_organization_id, (p_input->>'id')::uuid);
  v_result := jsonb_build_object('id', p_input->'id', 'record_status', CASE
    WHEN change_opportunity(v_old, p_input->'change') THEN 'updated' ELSE 'matched' END);
  IF v_set ?| '{amount,currency}' THEN
    v_result := v_result || (SELECT jsonb_build_object('amount', trim_scale(n.amount), 'currency', n.currency)
      FROM jsonb_populate_record(v_old, v_set) n);
  END IF;
  RETURN v_result;
END
$$;

-- p_input: {id, version, batch: {rows, bytes}}. First removes the opportunity from its notes, in several calls if there are many
-- (contact_deletion.sql).
CREATE OR REPLACE FUNCTION delete_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_old opportunities := read_opportunity(p_organization_id, v_id);
BEGIN
  PERFORM check_version(v_old.version, p_input);
  PERFORM begin_change('exclusive');
  IF NOT detach_opportunity_notes(p_organization_id, v_id, p_input->'batch')
    OR NOT delete_results_of_record(p_organization_id, v_id, (p_input->'batch'->>'rows')::int) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  PERFORM collect_events(ARRAY[deletion_event('opportunity', opportunity_event_record(v_old, additional_contact_ids(p_organization_id, v_id)))]);
  DELETE FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id;
  RETURN jsonb_build_object('id', v_id);
END
$$;
