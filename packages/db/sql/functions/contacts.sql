-- Contacts: creating and changing them. accounts_and_contacts.sql has what accounts need too. With `fills_names`, a change sets only the
-- names that are empty.

-- The ids of the contacts with these emails, in the order of p_emails; null for an email without a contact.
CREATE OR REPLACE FUNCTION find_contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT find_contact_id(p_organization_id, k.key) FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
END
$$;

-- A new contact without its id. p_input: {change}.
CREATE OR REPLACE FUNCTION new_contact(p_organization_id uuid, p_input jsonb, p_account_id uuid) RETURNS contacts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row contacts := jsonb_populate_record(NULL::contacts, '{"custom_fields": {}, "normalized": {}, "version": 1}');
BEGIN
  v_row.organization_id := p_organization_id;
  v_row.account_id := p_account_id;
  RETURN changed_contact(v_row, p_input->'change');
END
$$;

-- The change that a create makes to the contact that it found. With on_match keep, it only fills empty names. A contact that was found by
-- an alias keeps its email. p_input: {accounts, account_domain, change, on_match}.
CREATE OR REPLACE FUNCTION matched_contact_change(p_row contacts, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
BEGIN
  IF p_input->>'on_match' = 'keep' THEN
    RETURN only_keys(v_change, '{set,normalized}') || '{"fills_names": true}';
  ELSIF sends_new_email(p_row, v_change->'set') THEN
    RETURN v_change || only_keys(p_input, '{accounts,account_domain}');
  END IF;
  RETURN (v_change #- '{set,email}') || only_keys(p_input, '{accounts}');
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
  v_row.empty_slots := empty_slots_of(v_row);
  RETURN v_row;
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

-- The domain of the account of an email: its host, without leading `www.`, as long as two labels remain.
CREATE OR REPLACE FUNCTION account_domain_of_email(p_email text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN regexp_replace(split_part(p_email, '@', 2), '^(?:www\.)+(?=[^.]+\.)', '');
END
$$;

-- Whether a change moves a contact to another account.
-- With `linked_by`, the contact moves to the account `account_domain` of the change, which is created if it is missing. `accounts` of the
-- change: this account, in the form of ensure_related. Without `linked_by`, `account_domain` is that of a new email. The contact then moves
-- unless its account is another one than that of its old email.
CREATE OR REPLACE FUNCTION contact_moves(p_old contacts, p_new contacts, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_change ? 'linked_by' THEN
    RETURN p_new.account_id IS DISTINCT FROM find_account_id(p_new.organization_id, p_change->>'account_domain')
      OR (p_new.account_id IS NULL AND p_change->>'account_domain' IS NOT NULL);
  END IF;
  RETURN p_new.email <> p_old.email AND (p_old.account_id IS NULL
    OR p_old.account_id IS NOT DISTINCT FROM find_account_id(p_old.organization_id, account_domain_of_email(p_old.email)));
END
$$;

-- Applies a change to a contact, the result of read_contact. Returns whether anything changed.
CREATE OR REPLACE FUNCTION change_contact(p_old contacts, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new contacts := changed_contact(p_old, p_change);
  v_emails jsonb := additional_emails(p_old.organization_id, p_old.id);
  v_moves boolean := contact_moves(p_old, v_new, p_change);
BEGIN
  PERFORM check_version(p_old.version, p_change);
  IF p_change ? 'if_stored' THEN
    PERFORM check_if_stored(to_jsonb(p_old), p_change);
  END IF;
  IF v_new IS NOT DISTINCT FROM p_old AND NOT v_moves THEN
    RETURN false;
  END IF;
  -- The account of a contact that moves may be new. Under the shared lock, new accounts come before the lock of a contact.
  PERFORM begin_change(CASE WHEN v_moves OR contact_is_renamed(p_old, v_new) THEN 'exclusive' ELSE 'shared' END);
  IF v_new.email <> p_old.email THEN
    PERFORM check_key_is_free('contact', 'email', nullif(find_contact_id(v_new.organization_id, v_new.email), v_new.id));
    DELETE FROM contact_aliases l WHERE l.organization_id = v_new.organization_id AND l.email = v_new.email;
  END IF;
  IF v_moves THEN
    PERFORM collect_rows(ensure_related(v_new.organization_id, ARRAY[only_keys(p_change, '{accounts}')]));
    v_new.account_id := find_account_id(v_new.organization_id, p_change->>'account_domain');
  END IF;
  IF v_new.external_id IS DISTINCT FROM p_old.external_id THEN
    PERFORM check_key_is_free('contact', 'external_id', contact_id_of_external_id(v_new.organization_id, v_new.external_id));
  END IF;
  PERFORM collect_events(ARRAY[store_contact(p_old, v_new, v_emails)]);
  RETURN true;
END
$$;
