-- Contacts: finding and creating them.

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

-- The ids of the contacts with these emails, in the order of p_emails; null for an email without a contact.
CREATE OR REPLACE FUNCTION find_contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT find_contact_id(p_organization_id, k.key) FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
END
$$;

-- Creates the contacts that do not exist yet. Their accounts exist. p_contacts: [{email, account_domain}].
CREATE OR REPLACE FUNCTION ensure_contacts(p_organization_id uuid, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_seed record;
  v_row contacts;
  v_events text[] := '{}';
BEGIN
  FOR v_seed IN
    SELECT c.email, find_account_id(p_organization_id, c.account_domain) AS account_id
      FROM jsonb_to_recordset(p_contacts) AS c (email text, account_domain text)
     WHERE find_contact_id(p_organization_id, c.email) IS NULL
     ORDER BY c.email COLLATE "C"
  LOOP
    PERFORM begin_change('shared');
    INSERT INTO contacts (organization_id, id, email, account_id, search_text, created_at, updated_at)
      VALUES (p_organization_id, new_id(v_now), v_seed.email, v_seed.account_id, v_seed.email, v_now, v_now)
    ON CONFLICT (organization_id, email) DO NOTHING RETURNING * INTO v_row;
    IF FOUND THEN
      v_events := v_events || creation_event('contact', 'created', contact_event_record(v_row));
    END IF;
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Creates the accounts and contacts of a call that do not exist yet. p_accounts and p_contacts are those of ensure_accounts.
CREATE OR REPLACE FUNCTION ensure_related(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_accounts, p_contacts);
  PERFORM ensure_contacts(p_organization_id, p_contacts);
END
$$;

-- Inserts a new contact, and its account if it is missing. Returns a null id if a parallel call inserted the email first.
-- p_input: {accounts, account_domain, change}.
CREATE OR REPLACE FUNCTION insert_contact(p_organization_id uuid, p_input jsonb) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts := jsonb_populate_record(NULL::contacts, '{"custom_fields": {}, "normalized": {}, "version": 1}');
BEGIN
  PERFORM begin_change('shared');
  PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
  v_row := changed_contact(v_row, p_input->'change');
  v_row.organization_id := p_organization_id;
  v_row.account_id := find_account_id(p_organization_id, p_input->>'account_domain');
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  INSERT INTO contacts VALUES (v_row.*) ON CONFLICT (organization_id, email) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
    RETURN v_row;
  END IF;
  PERFORM collect_events(ARRAY[creation_event('contact', 'created', contact_event_record(v_row))]);
  RETURN v_row;
END
$$;

-- Like account_id_of_create, for contacts: by external id, else by email.
CREATE OR REPLACE FUNCTION contact_id_of_create(p_organization_id uuid, p_set jsonb) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_key_id uuid := find_contact_id(p_organization_id, p_set->>'email');
  v_id uuid := v_key_id;
BEGIN
  IF p_set ? 'external_id' THEN
    v_id := coalesce((SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.external_id = p_set->>'external_id'), v_key_id);
    PERFORM check_create_keys('contact', v_id, v_key_id, p_set ? 'email');
  END IF;
  RETURN v_id;
END
$$;

-- Like sends_new_domain, for contacts and emails.
CREATE OR REPLACE FUNCTION sends_new_email(p_row contacts, p_set jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN p_set ? 'external_id' AND p_set->>'email' <> p_row.email AND find_contact_id(p_row.organization_id, p_set->>'email') IS NULL;
END
$$;

-- The change that a create makes to the contact that it found. With on_match keep, it only fills empty names. A contact that was found by
-- an alias keeps its email. p_input: {account_domain, change, on_match}.
CREATE OR REPLACE FUNCTION matched_contact_change(p_row contacts, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
BEGIN
  IF p_input->>'on_match' = 'keep' THEN
    RETURN only_keys(v_change, '{set,normalized}') || '{"fills_names": true}';
  ELSIF sends_new_email(p_row, v_change->'set') THEN
    RETURN v_change || jsonb_build_object('account_domain', p_input->'account_domain');
  END IF;
  RETURN v_change #- '{set,email}';
END
$$;

-- The result of a create. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION contact_result(p_row contacts, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_unapplied jsonb := '[]';
BEGIN
  IF p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN
    v_unapplied := unapplied_values(to_jsonb(p_row), p_input->'change');
    IF sends_new_email(p_row, p_input->'change'->'set') IS NOT TRUE THEN
      v_unapplied := v_unapplied - 'email';
    END IF;
  END IF;
  RETURN jsonb_build_object('id', p_row.id, 'email', p_row.email, 'first_name', p_row.first_name, 'last_name', p_row.last_name,
    'record_status', p_status, 'unapplied', v_unapplied);
END
$$;

-- Creates a contact, or finds the one with the same external id or email. With on_match keep, only empty names of a contact that was
-- found are filled. p_input: {accounts, account_domain, change, on_match}.
CREATE OR REPLACE FUNCTION create_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
  v_id uuid := contact_id_of_create(p_organization_id, v_set);
  v_row contacts;
  v_status text := 'matched';
BEGIN
  IF v_id IS NULL THEN
    v_row := insert_contact(p_organization_id, p_input);
    IF v_row.id IS NOT NULL THEN
      RETURN contact_result(v_row, 'created', p_input);
    END IF;
    v_id := find_contact_id(p_organization_id, v_set->>'email');
  END IF;
  v_row := read_contact(p_organization_id, v_id);
  IF change_contact(v_row, matched_contact_change(v_row, p_input), p_input->'accounts') THEN
    v_status := 'updated';
    v_row := read_contact(p_organization_id, v_id);
  END IF;
  RETURN contact_result(v_row, v_status, p_input);
END
$$;
