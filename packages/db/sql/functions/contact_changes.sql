-- Changes of contacts. A change has the form described in account_changes.sql. With `fills_names`, it sets only the names that are empty.

-- Like read_account, for contacts.
CREATE OR REPLACE FUNCTION read_contact(p_organization_id uuid, p_id uuid) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts;
BEGIN
  PERFORM lock_record(p_organization_id, 'contact', p_id);
  SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id;
  IF NOT FOUND THEN
    PERFORM begin_change('shared');
  END IF;
  RETURN v_row;
END
$$;

-- The contact with a change applied, including the columns that are computed from others.
CREATE OR REPLACE FUNCTION changed_contact(p_row contacts, p_change jsonb) RETURNS contacts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_set jsonb := coalesce(p_change->'set', '{}');
  v_normalized jsonb := p_change->'normalized';
  v_empty text[];
  v_row contacts;
BEGIN
  IF p_change ? 'fills_names' THEN
    v_empty := ARRAY[CASE WHEN p_row.first_name IS NULL THEN 'first_name' END, CASE WHEN p_row.last_name IS NULL THEN 'last_name' END];
    v_set := only_keys(v_set, v_empty);
    v_normalized := only_keys(v_normalized, v_empty);
  END IF;
  v_row := jsonb_populate_record(p_row, v_set || coalesce(p_change->'derived', '{}'));
  v_row.custom_fields := merge_patch(v_row.custom_fields, p_change->'custom_fields');
  v_row.normalized := merge_patch(v_row.normalized, v_normalized);
  v_row.normalized_name := nullif(concat_ws(' ', v_row.normalized->>'first_name', v_row.normalized->>'last_name'), '');
  v_row.search_text := concat_ws(' ', v_row.normalized_name, v_row.email);
  RETURN v_row;
END
$$;

-- Whether a change affects the names or the email, which opportunities copy.
CREATE OR REPLACE FUNCTION contact_is_renamed(p_old contacts, p_new contacts) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (p_new.first_name, p_new.last_name, p_new.email) IS DISTINCT FROM (p_old.first_name, p_old.last_name, p_old.email);
END
$$;

-- The opportunities with this primary contact and those with this additional contact; at most p_limit of each.
CREATE OR REPLACE FUNCTION opportunity_ids_of_contact(p_organization_id uuid, p_contact_id uuid, p_limit int DEFAULT NULL) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    (SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.contact_id = p_contact_id LIMIT p_limit)
    UNION
    (SELECT l.opportunity_id FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = p_contact_id LIMIT p_limit));
END
$$;

-- Updates all columns of a contact that can change.
CREATE OR REPLACE FUNCTION update_contact_row(n contacts) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE contacts c SET
      (email, external_id, first_name, last_name, normalized_name, account_id, job_title, phone, custom_fields, normalized, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.email, n.external_id, n.first_name, n.last_name, n.normalized_name, n.account_id, n.job_title, n.phone, n.custom_fields, n.normalized, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8, n.updated_at, n.version)
    WHERE c.organization_id = n.organization_id AND c.id = n.id;
END
$$;

-- Copies a contact's names and email to its opportunities.
CREATE OR REPLACE FUNCTION copy_contact_texts(p_contact contacts) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_opportunity_ids uuid[] := ARRAY(
    SELECT l.opportunity_id FROM opportunity_contacts l
     WHERE l.organization_id = p_contact.organization_id AND l.contact_id = p_contact.id);
BEGIN
  UPDATE opportunities o
     SET contact_email = p_contact.email, contact_first_name_key = left(p_contact.normalized->>'first_name', 200),
         contact_last_name_key = left(p_contact.normalized->>'last_name', 200)
    WHERE o.organization_id = p_contact.organization_id AND o.contact_id = p_contact.id;
  PERFORM refresh_opportunity_records(p_contact.organization_id, v_opportunity_ids);
END
$$;

-- Stores a changed contact and updates the copies in its opportunities. Returns the event.
CREATE OR REPLACE FUNCTION store_contact(p_old contacts, p_new contacts) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new contacts := p_new;
BEGIN
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  PERFORM update_contact_row(v_new);
  IF contact_is_renamed(p_old, v_new) THEN
    PERFORM copy_contact_texts(v_new);
  END IF;
  RETURN change_event('contact', contact_event_record(p_old), contact_event_record(v_new));
END
$$;

-- Applies a change to a contact, the result of read_contact. Returns whether anything changed.
-- If the email changes, the contact moves to the account `account_domain` of the change, which is created if it is missing. p_accounts:
-- this account, in the form of ensure_accounts.
CREATE OR REPLACE FUNCTION change_contact(p_old contacts, p_change jsonb, p_accounts jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new contacts := changed_contact(p_old, p_change);
BEGIN
  PERFORM check_version(p_old.version, p_change);
  IF v_new IS NOT DISTINCT FROM p_old THEN
    RETURN false;
  END IF;
  PERFORM begin_change(CASE WHEN contact_is_renamed(p_old, v_new) THEN 'exclusive' ELSE 'shared' END);
  IF v_new.email <> p_old.email THEN
    PERFORM check_key_is_free('contact', 'email', nullif(find_contact_id(v_new.organization_id, v_new.email), v_new.id));
    DELETE FROM contact_aliases l WHERE l.organization_id = v_new.organization_id AND l.email = v_new.email;
    PERFORM ensure_accounts(v_new.organization_id, p_accounts);
    v_new.account_id := find_account_id(v_new.organization_id, p_change->>'account_domain');
  END IF;
  IF v_new.external_id IS DISTINCT FROM p_old.external_id THEN
    PERFORM check_key_is_free('contact', 'external_id', (
      SELECT c.id FROM contacts c WHERE c.organization_id = v_new.organization_id AND c.external_id = v_new.external_id));
  END IF;
  PERFORM collect_events(ARRAY[store_contact(p_old, v_new)]);
  RETURN true;
END
$$;

-- p_input: {id, accounts, change}.
CREATE OR REPLACE FUNCTION update_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status', CASE
    WHEN change_contact(read_contact(p_organization_id, (p_input->>'id')::uuid), p_input->'change', p_input->'accounts') THEN 'updated' ELSE 'matched' END);
END
$$;
