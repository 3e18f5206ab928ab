-- Contacts. Changes, p_locked_ids and p_renamed_ids are as for accounts; see account_changes.sql.

-- The id of the contact with this email, its own or an alias; null if there is none.
CREATE OR REPLACE FUNCTION find_contact_id(p_organization_id uuid, p_email text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT c.id INTO v_id FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = p_email;
  IF NOT FOUND THEN
    SELECT l.contact_id INTO v_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email;
  END IF;
  RETURN v_id;
END
$$;

-- The ids of the contacts with these emails, in the order of p_emails; null for an email without a contact. A contact is found by its own
-- email or by an alias.
CREATE OR REPLACE FUNCTION find_contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF jsonb_array_length(p_emails) <= 10 THEN
    RETURN ARRAY(
      SELECT find_contact_id(p_organization_id, k.key)
        FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
  END IF;
  RETURN ARRAY(
    SELECT coalesce(
        (SELECT r.id FROM contacts r WHERE r.organization_id = p_organization_id AND r.email = k.key),
        (SELECT l.contact_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = k.key))
      FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
END
$$;

-- Like share_account_names, for contacts and emails.
CREATE OR REPLACE FUNCTION share_contact_names(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := find_contact_ids(p_organization_id, p_emails);
BEGIN
  PERFORM lock_names(p_organization_id, 'contact', v_ids, false);
  IF NOT array_remove(v_ids, NULL) <@ find_contact_ids(p_organization_id, p_emails) THEN
    RAISE EXCEPTION 'a contact was merged or deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- Like require_account_ids, for contacts and emails.
CREATE OR REPLACE FUNCTION require_contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := find_contact_ids(p_organization_id, p_emails);
BEGIN
  IF array_position(v_ids, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'a contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- The id of the contact with this email, as require_contact_ids finds it; null for a null email.
CREATE OR REPLACE FUNCTION require_contact_id(p_organization_id uuid, p_email text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE WHEN p_email IS NOT NULL THEN (require_contact_ids(p_organization_id, jsonb_build_array(p_email)))[1] END;
END
$$;

-- Creates the contacts that do not exist yet. Skips contacts whose account was deleted in the meantime. p_contacts: [{email,
-- account_domain}].
CREATE OR REPLACE FUNCTION ensure_contacts(p_organization_id uuid, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_seed record;
  v_row contacts;
  v_events text[] := '{}';
BEGIN
  FOR v_seed IN
    SELECT c.email, c.account_domain, find_account_id(p_organization_id, c.account_domain) AS account_id
      FROM jsonb_to_recordset(p_contacts) AS c (email text, account_domain text)
     WHERE find_contact_id(p_organization_id, c.email) IS NULL
     ORDER BY c.email COLLATE "C"
  LOOP
    IF v_seed.account_id IS NOT NULL OR v_seed.account_domain IS NULL THEN
      INSERT INTO contacts (organization_id, id, email, account_id, search_text, created_at, updated_at)
        VALUES (p_organization_id, new_id(v_now), v_seed.email, v_seed.account_id, v_seed.email, v_now, v_now)
      ON CONFLICT (organization_id, email) DO NOTHING RETURNING * INTO v_row;
      IF FOUND THEN
        v_events := v_events || creation_event('contact', 'created', contact_event_record(v_row));
        PERFORM check_email_is_no_alias(p_organization_id, v_seed.email);
      END IF;
    END IF;
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Creates the accounts and contacts of a call that do not exist yet. p_accounts and p_contacts are those of ensure_accounts.
CREATE OR REPLACE FUNCTION ensure_related(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_accounts, p_contacts);
  IF array_position(find_contact_ids(p_organization_id, jsonb_path_query_array(p_contacts, '$[*].email')), NULL) IS NULL THEN
    RETURN;
  END IF;
  -- Inserting a contact locks the row of its account (foreign key). A call that changes the account's domain holds the account's name
  -- lock exclusively. With shared name locks taken here, the two calls cannot deadlock. All accounts of the call are locked, because its
  -- opportunities need these locks too.
  PERFORM share_account_names(p_organization_id, jsonb_path_query_array(p_accounts, '$[*].domain'));
  PERFORM ensure_contacts(p_organization_id, p_contacts);
END
$$;

-- Inserts a new contact, whose account exists. Returns a null id if a parallel call inserted the email first.
-- p_input: {account_domain, change}.
CREATE OR REPLACE FUNCTION insert_contact(p_organization_id uuid, p_input jsonb) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts := jsonb_populate_record(NULL::contacts, '{"custom_fields": {}, "normalized": {}, "version": 1}');
BEGIN
  v_row := changed_contact(v_row, p_input->'change');
  v_row.organization_id := p_organization_id;
  v_row.account_id := require_account_id(p_organization_id, p_input->>'account_domain');
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  INSERT INTO contacts VALUES (v_row.*) ON CONFLICT (organization_id, email) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
    RETURN v_row;
  END IF;
  PERFORM check_email_is_no_alias(p_organization_id, v_row.email);
  PERFORM collect_events(ARRAY[creation_event('contact', 'created', contact_event_record(v_row))]);
  RETURN v_row;
END
$$;

-- Like account_of_create, for contacts: by external id, else by email.
CREATE OR REPLACE FUNCTION contact_of_create(p_organization_id uuid, p_set jsonb) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts;
BEGIN
  IF p_set ? 'external_id' THEN
    SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.external_id = p_set->>'external_id';
    IF FOUND THEN
      RETURN v_row;
    END IF;
  END IF;
  RETURN find_contact(p_organization_id, p_set->>'email');
END
$$;

-- Like sends_new_domain, for contacts and emails.
CREATE OR REPLACE FUNCTION sends_new_email(p_row contacts, p_set jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT p_set ? 'external_id' OR coalesce(p_set->>'email', p_row.email) = p_row.email THEN
    RETURN false;
  END IF;
  RETURN (find_contact(p_row.organization_id, p_set->>'email')).id IS NULL;
END
$$;

-- The change that a create makes to the contact that it found. With on_match keep, it only fills empty names. A contact that was found by
-- an alias keeps its email. p_input: {account_domain, change, on_match}.
CREATE OR REPLACE FUNCTION matched_contact_change(p_row contacts, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
  v_found_by jsonb := found_by(p_row.email, p_row.external_id, v_set);
BEGIN
  IF p_input->>'on_match' = 'keep' THEN
    RETURN v_found_by || only_keys(p_input->'change', '{set,normalized}') || '{"fills_names": true}';
  ELSIF sends_new_email(p_row, v_set) THEN
    RETURN p_input->'change' || v_found_by || jsonb_build_object('account_domain', p_input->'account_domain');
  END IF;
  RETURN p_input->'change' #- '{set,email}' || v_found_by;
END
$$;

-- The result of a create. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION contact_result(p_row contacts, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_unapplied jsonb := '[]';
BEGIN
  IF p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN
    v_unapplied := unapplied_values(to_jsonb(p_row), p_input->'change');
    IF NOT sends_new_email(p_row, p_input->'change'->'set') THEN
      v_unapplied := v_unapplied - 'email';
    END IF;
  END IF;
  RETURN jsonb_build_object('id', p_row.id, 'email', p_row.email, 'first_name', p_row.first_name, 'last_name', p_row.last_name,
    'record_status', p_status, 'unapplied', v_unapplied);
END
$$;

-- Creates a contact, or finds the one with the same external id or email. With on_match keep, only empty names of a contact that was
-- found are filled. p_input: {accounts, account_domain, change, on_match}.
CREATE OR REPLACE FUNCTION create_contact(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL, p_renamed_ids uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
  v_row contacts := contact_of_create(p_organization_id, v_set);
  v_status text := 'matched';
BEGIN
  IF v_set ? 'external_id' THEN
    PERFORM check_create_keys('contact', v_row.id, (find_contact(p_organization_id, v_set->>'email')).id, v_set ? 'email');
  END IF;
  IF v_row.id IS NULL THEN
    PERFORM check_may_insert(p_input, p_locked_ids);
    PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
    v_row := insert_contact(p_organization_id, p_input);
    IF v_row.id IS NOT NULL THEN
      RETURN contact_result(v_row, 'created', p_input);
    END IF;
    v_row := find_contact(p_organization_id, v_set->>'email');
    IF v_row.id IS NULL THEN
      RAISE EXCEPTION 'the contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF change_contact(p_organization_id, v_row.id, matched_contact_change(v_row, p_input), p_input->'accounts', p_locked_ids, p_renamed_ids) THEN
    v_status := 'updated';
    SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_row.id;
  END IF;
  RETURN contact_result(v_row, v_status, p_input);
END
$$;

-- p_input: {id, accounts, change}. If the email changes, this also creates the account of the new email, unless it exists.
CREATE OR REPLACE FUNCTION update_contact(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL, p_renamed_ids uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_contact(p_organization_id, (p_input->>'id')::uuid, p_input->'change', p_input->'accounts', p_locked_ids, p_renamed_ids)
      THEN 'updated' ELSE 'matched' END);
END
$$;
