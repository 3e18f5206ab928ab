-- Contacts. A change is as for accounts; with `fills_names` it sets only the names that are empty.

-- The ids of the contacts with these emails, in their order; null where there is none.
CREATE OR REPLACE FUNCTION find_contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT (SELECT r.id FROM contacts r WHERE r.organization_id = p_organization_id AND r.email = k.key)
      FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
END
$$;

-- As find_contact_ids, for contacts that were there a moment ago.
CREATE OR REPLACE FUNCTION contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := find_contact_ids(p_organization_id, p_emails);
BEGIN
  IF array_position(v_ids, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'a contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- The id of the contact with this email; null for none.
CREATE OR REPLACE FUNCTION contact_id_of(p_organization_id uuid, p_email text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE WHEN p_email IS NOT NULL THEN (contact_ids(p_organization_id, jsonb_build_array(p_email)))[1] END;
END
$$;

-- Creates the missing contacts, except those whose account was deleted meanwhile. p_contacts: [{email, account_domain}].
CREATE OR REPLACE FUNCTION ensure_contacts(p_organization_id uuid, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  INSERT INTO contacts (organization_id, id, email, account_id, search_text, created_at, updated_at)
  SELECT p_organization_id, new_id(v_now), c.email, c.account_id, c.email, v_now, v_now
    FROM (SELECT n.email, n.account_domain,
                 (SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = n.account_domain) AS account_id
            FROM jsonb_to_recordset(p_contacts) AS n (email text, account_domain text)) AS c
   WHERE (SELECT x.id FROM contacts x WHERE x.organization_id = p_organization_id AND x.email = c.email) IS NULL
     AND (c.account_id IS NOT NULL OR c.account_domain IS NULL)
   ORDER BY c.email COLLATE "C"
  ON CONFLICT (organization_id, email) DO NOTHING;
END
$$;

-- Creates the missing accounts and contacts of a call. p_accounts and p_contacts as ensure_accounts takes them.
CREATE OR REPLACE FUNCTION ensure_related(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_accounts, p_contacts);
  IF array_position(find_contact_ids(p_organization_id, jsonb_path_query_array(p_contacts, '$[*].email')), NULL) IS NULL THEN
    RETURN;
  END IF;
  -- A new contact locks its account's key. Who changes an account's domain has the same lock on its name, so neither waits for the
  -- other later on. All accounts of the call are locked here, since opportunities will need those of their own too.
  PERFORM lock_names(p_organization_id, 'account', find_account_ids(p_organization_id, jsonb_path_query_array(p_accounts, '$[*].domain')), false);
  PERFORM ensure_contacts(p_organization_id, p_contacts);
END
$$;

-- The contact with a change applied, and the columns that follow from others.
CREATE OR REPLACE FUNCTION changed_contact(p_row contacts, p_change jsonb) RETURNS contacts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_set jsonb := coalesce(p_change->'set', '{}');
  v_folds jsonb := p_change->'folds';
  v_empty text[];
  v_row contacts;
BEGIN
  IF p_change ? 'fills_names' THEN
    v_empty := ARRAY[CASE WHEN p_row.first_name IS NULL THEN 'first_name' END, CASE WHEN p_row.last_name IS NULL THEN 'last_name' END];
    v_set := only_keys(v_set, v_empty);
    v_folds := only_keys(v_folds, v_empty);
  END IF;
  v_row := jsonb_populate_record(p_row, v_set || coalesce(p_change->'derived', '{}'));
  v_row.custom_fields := patched(v_row.custom_fields, p_change->'custom_fields');
  v_row.folds := patched(v_row.folds, v_folds);
  v_row.name_fold := nullif(concat_ws(' ', v_row.folds->>'first_name', v_row.folds->>'last_name'), '');
  v_row.search_text := concat_ws(' ', v_row.name_fold, v_row.email);
  RETURN v_row;
END
$$;

-- Inserts a new contact, whose account is there; a null id in the answer says that another call was first.
-- p_input: {account_domain, change}.
CREATE OR REPLACE FUNCTION insert_contact(p_organization_id uuid, p_input jsonb) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts := jsonb_populate_record(NULL::contacts, '{"custom_fields": {}, "folds": {}, "version": 1}');
BEGIN
  v_row := changed_contact(v_row, p_input->'change');
  v_row.organization_id := p_organization_id;
  v_row.account_id := account_id_of(p_organization_id, p_input->>'account_domain');
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  INSERT INTO contacts VALUES (v_row.*) ON CONFLICT (organization_id, email) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
  END IF;
  RETURN v_row;
END
$$;

-- What a change would do to a contact, without any lock. `renamed`: opportunities repeat what it changes (names, email).
-- `rekeyed`: it changes the email. Version is null, and all else false, where there is no such contact.
CREATE OR REPLACE FUNCTION contact_effect(p_organization_id uuid, p_id uuid, p_change jsonb,
  OUT version int, OUT changed boolean, OUT renamed boolean, OUT rekeyed boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old contacts;
  v_new contacts;
BEGIN
  SELECT * INTO v_old FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id;
  v_new := changed_contact(v_old, p_change);
  version := v_old.version;
  changed := version IS NOT NULL AND v_new IS DISTINCT FROM v_old;
  renamed := changed AND (v_new.first_name, v_new.last_name, v_new.email) IS DISTINCT FROM (v_old.first_name, v_old.last_name, v_old.email);
  rekeyed := changed AND v_new.email <> v_old.email;
END
$$;

-- The opportunities that name a contact, as their primary or as an additional one; at most p_limit of each.
CREATE OR REPLACE FUNCTION opportunity_ids_of_contact(p_organization_id uuid, p_contact_id uuid, p_limit int DEFAULT NULL) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    (SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.contact_id = p_contact_id LIMIT p_limit)
    UNION
    (SELECT l.opportunity_id FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = p_contact_id LIMIT p_limit));
END
$$;

-- Takes the locks for changes of contacts; p_renamed are those of p_ids that get another name or email.
CREATE OR REPLACE FUNCTION lock_contact_changes(p_organization_id uuid, p_ids uuid[], p_renamed uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_renamed <> '{}' THEN
    PERFORM lock_names(p_organization_id, 'contact', p_renamed, true);
    PERFORM lock_opportunities(p_organization_id, ARRAY(
      SELECT DISTINCT o FROM unnest(p_renamed) r, unnest(opportunity_ids_of_contact(p_organization_id, r)) o));
  END IF;
  PERFORM lock_contacts(p_organization_id, p_ids, p_renamed);
END
$$;

-- Waits for parallel calls that create a contact of this email, and keeps new ones waiting to the end of the transaction. A call
-- that gives a contact another email does this before it takes its locks, because those calls may wait for them.
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

-- Changes a contact whose locks are held, and what opportunities repeat of it. Returns whether anything changed.
-- A change may also carry `account_domain`: where the contact goes when its email changes. That account exists.
CREATE OR REPLACE FUNCTION apply_contact_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_may_rename boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_old contacts;
  n contacts;
  v_is_renamed boolean;
BEGIN
  SELECT * INTO v_old FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id;
  PERFORM check_version(v_old.version, p_change);
  PERFORM check_found_key(v_old.email, p_change);
  n := changed_contact(v_old, p_change);
  IF n IS NOT DISTINCT FROM v_old THEN
    RETURN false;
  END IF;
  v_is_renamed := (n.first_name, n.last_name, n.email) IS DISTINCT FROM (v_old.first_name, v_old.last_name, v_old.email);
  IF v_is_renamed AND NOT p_may_rename THEN
    RAISE EXCEPTION 'the contact was renamed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  IF n.email <> v_old.email THEN
    PERFORM check_key_is_free('contact', 'email', (
      SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = n.email));
    n.account_id := account_id_of(p_organization_id, p_change->>'account_domain');
  END IF;

  UPDATE contacts c SET
      (email, first_name, last_name, name_fold, account_id, job_title, phone, custom_fields, folds, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.email, n.first_name, n.last_name, n.name_fold, n.account_id, n.job_title, n.phone, n.custom_fields, n.folds, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8,
       greatest(v_now, v_old.updated_at), v_old.version + 1)
    WHERE c.organization_id = p_organization_id AND c.id = p_id;
  IF v_is_renamed THEN
    UPDATE opportunities o SET contact_email = n.email, contact_first_name_key = left(n.folds->>'first_name', 200),
           contact_last_name_key = left(n.folds->>'last_name', 200)
      WHERE o.organization_id = p_organization_id AND o.contact_id = p_id;
    PERFORM refresh_opportunity_records(p_organization_id, ARRAY(
      SELECT l.opportunity_id FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = p_id));
  END IF;
  RETURN true;
END
$$;

-- Changes a contact. Returns whether anything changed; a change that changes nothing takes no lock and writes nothing.
-- p_accounts: the account of a new email, as ensure_accounts takes it. p_locked, p_renamed: as for change_account.
CREATE OR REPLACE FUNCTION change_contact(p_organization_id uuid, p_id uuid, p_change jsonb, p_accounts jsonb DEFAULT '[]', p_locked uuid[] DEFAULT NULL, p_renamed uuid[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_effect record;
BEGIN
  SELECT * INTO v_effect FROM contact_effect(p_organization_id, p_id, p_change);
  PERFORM check_version(v_effect.version, p_change);
  IF NOT v_effect.changed THEN
    RETURN false;
  END IF;
  IF p_locked IS NULL THEN
    IF v_effect.rekeyed THEN
      PERFORM ensure_accounts(p_organization_id, p_accounts);
      -- The contact will lock its new account's key; see ensure_related.
      PERFORM lock_names(p_organization_id, 'account', find_account_ids(p_organization_id, jsonb_path_query_array(p_accounts, '$[*].domain')), false);
      PERFORM claim_email(p_organization_id, p_change->'set'->>'email');
    END IF;
    PERFORM lock_contact_changes(p_organization_id, ARRAY[p_id], CASE WHEN v_effect.renamed THEN ARRAY[p_id] ELSE '{}' END);
    RETURN apply_contact_change(p_organization_id, p_id, p_change, v_effect.renamed);
  END IF;
  PERFORM check_locked(p_id, p_locked);
  RETURN apply_contact_change(p_organization_id, p_id, p_change, p_id = ANY (p_renamed));
END
$$;

-- What a create changes of a contact that exists: with on_match keep, only its empty names. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION matched_contact_change(p_input jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('found_by_key', p_input->'change'->'set'->'email') || CASE p_input->>'on_match'
    WHEN 'keep' THEN only_keys(p_input->'change', '{set,folds}') || '{"fills_names": true}'
    ELSE p_input->'change' END;
END
$$;

-- The answer of a create. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION answer_contact(p_row contacts, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_row.id, 'email', p_row.email, 'first_name', p_row.first_name, 'last_name', p_row.last_name,
    'record_status', p_status,
    'kept', CASE WHEN p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN kept_values(to_jsonb(p_row), p_input->'change') ELSE '[]' END);
END
$$;

-- p_input: {accounts, account_domain, change, on_match}. Answers the contact of that email, created or found; a found one that is
-- kept has its empty names filled. p_locked, p_renamed: as for change_account.
CREATE OR REPLACE FUNCTION create_contact(p_organization_id uuid, p_input jsonb, p_locked uuid[] DEFAULT NULL, p_renamed uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_email text := p_input->'change'->'set'->>'email';
  v_row contacts;
  v_status text := 'matched';
BEGIN
  SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = v_email;
  IF NOT FOUND THEN
    PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
    v_row := insert_contact(p_organization_id, p_input);
    IF v_row.id IS NOT NULL THEN
      RETURN answer_contact(v_row, 'created', p_input);
    END IF;
    SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = v_email;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF change_contact(p_organization_id, v_row.id, matched_contact_change(p_input), '[]', p_locked, p_renamed) THEN
    v_status := 'updated';
    SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_row.id;
  END IF;
  RETURN answer_contact(v_row, v_status, p_input);
END
$$;

-- p_input: {id, accounts, change}. The account of a new email is created if it is missing. p_locked, p_renamed: as for change_account.
CREATE OR REPLACE FUNCTION update_contact(p_organization_id uuid, p_input jsonb, p_locked uuid[] DEFAULT NULL, p_renamed uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_contact(p_organization_id, (p_input->>'id')::uuid, p_input->'change', p_input->'accounts', p_locked, p_renamed)
      THEN 'updated' ELSE 'matched' END);
END
$$;
