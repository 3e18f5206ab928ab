-- Changes of contacts. A change has the form described in account_changes.sql. With `fills_names`, it sets only the names that are empty.

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

-- What a change would do to a contact. Takes no lock. has_new_name: it changes the names or email, which opportunities copy. has_new_key:
-- it changes the email. If the contact does not exist, version is null and the rest is false.
CREATE OR REPLACE FUNCTION contact_effect(p_organization_id uuid, p_id uuid, p_change jsonb,
  OUT version int, OUT is_changed boolean, OUT has_new_name boolean, OUT has_new_key boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old contacts;
  v_new contacts;
BEGIN
  SELECT * INTO v_old FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id;
  v_new := changed_contact(v_old, p_change);
  version := v_old.version;
  is_changed := version IS NOT NULL AND v_new IS DISTINCT FROM v_old;
  has_new_name := is_changed AND contact_is_renamed(v_old, v_new);
  has_new_key := is_changed AND v_new.email <> v_old.email;
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

-- Takes the locks for changes of the contacts p_ids. p_renamed_ids: those of them whose names or email change.
CREATE OR REPLACE FUNCTION lock_contact_changes(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_renamed_ids <> '{}' THEN
    PERFORM lock_names(p_organization_id, 'contact', p_renamed_ids, true);
    PERFORM lock_opportunities(p_organization_id, ARRAY(
      SELECT DISTINCT o FROM unnest(p_renamed_ids) r, unnest(opportunity_ids_of_contact(p_organization_id, r)) o));
  END IF;
  PERFORM lock_contacts(p_organization_id, p_ids, p_renamed_ids);
END
$$;

-- Like claim_domain, for contacts and emails.
CREATE OR REPLACE FUNCTION claim_email(p_organization_id uuid, p_email text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_id uuid := new_id(v_now);
BEGIN
  INSERT INTO contacts (organization_id, id, email, search_text, created_at, updated_at)
    VALUES (p_organization_id, v_id, p_email, '', v_now, v_now) ON CONFLICT (organization_id, email) DO NOTHING;
  IF FOUND THEN
    DELETE FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id;
  END IF;
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

-- Copies a contact's names and email to its opportunities. The caller holds the locks of the opportunities.
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

-- Applies a change to a contact whose locks are held, and updates the copies in its opportunities. Returns whether anything changed.
-- A change may also contain `account_domain`: the existing account that the contact moves to if its email changes.
-- p_holds_name: whether the name lock of the contact is held exclusively.
CREATE OR REPLACE FUNCTION apply_contact_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_holds_name boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old contacts;
  v_new contacts;
BEGIN
  SELECT * INTO v_old FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id;
  PERFORM check_version(v_old.version, p_change);
  PERFORM check_found_key(v_old.email, v_old.external_id, p_change);
  v_new := changed_contact(v_old, p_change);
  IF v_new IS NOT DISTINCT FROM v_old THEN
    RETURN false;
  END IF;
  IF contact_is_renamed(v_old, v_new) AND NOT p_holds_name THEN
    RAISE EXCEPTION 'the contact was renamed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  IF v_new.email <> v_old.email THEN
    PERFORM check_key_is_free('contact', 'email', (
      SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = v_new.email));
    v_new.account_id := require_account_id(p_organization_id, p_change->>'account_domain');
  END IF;
  IF v_new.external_id IS DISTINCT FROM v_old.external_id THEN
    PERFORM check_key_is_free('contact', 'external_id', (
      SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.external_id = v_new.external_id));
  END IF;
  v_new.updated_at := greatest(write_time(), v_old.updated_at);
  v_new.version := v_old.version + 1;

  PERFORM update_contact_row(v_new);
  IF v_new.email <> v_old.email THEN
    PERFORM drop_own_email_alias(p_organization_id, v_new.email, p_id);
  END IF;
  IF contact_is_renamed(v_old, v_new) THEN
    PERFORM copy_contact_texts(v_new);
  END IF;
  PERFORM collect_events(ARRAY[change_event('contact', contact_event_record(v_old), contact_event_record(v_new))]);
  RETURN true;
END
$$;

-- Changes a contact. Returns whether anything changed. A change without effect takes no lock and writes nothing.
-- p_accounts: the account of a new email, in the form of ensure_accounts.
CREATE OR REPLACE FUNCTION change_contact(p_organization_id uuid, p_id uuid, p_change jsonb, p_accounts jsonb DEFAULT '[]', p_locked_ids uuid[] DEFAULT NULL, p_renamed_ids uuid[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_effect record;
BEGIN
  SELECT * INTO v_effect FROM contact_effect(p_organization_id, p_id, p_change);
  PERFORM check_version(v_effect.version, p_change);
  IF NOT v_effect.is_changed THEN
    RETURN false;
  END IF;
  IF p_locked_ids IS NULL THEN
    IF v_effect.has_new_key THEN
      PERFORM ensure_accounts(p_organization_id, p_accounts);
      -- The update will lock the row of the new account; see ensure_related.
      PERFORM share_account_names(p_organization_id, jsonb_path_query_array(p_accounts, '$[*].domain'));
      PERFORM claim_email(p_organization_id, p_change->'set'->>'email');
    END IF;
    PERFORM lock_contact_changes(p_organization_id, ARRAY[p_id], CASE WHEN v_effect.has_new_name THEN ARRAY[p_id] ELSE '{}' END);
    RETURN apply_contact_change(p_organization_id, p_id, p_change, v_effect.has_new_name);
  END IF;
  PERFORM check_locked(p_id, p_locked_ids);
  RETURN apply_contact_change(p_organization_id, p_id, p_change, p_id = ANY (p_renamed_ids));
END
$$;
