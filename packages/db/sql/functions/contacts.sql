-- Makes the contacts that are not there yet; not one whose account is gone meanwhile. p_contacts: [{email, account_domain}].
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

-- The ids of the contacts with these emails, in their order.
CREATE OR REPLACE FUNCTION contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[];
BEGIN
  SELECT coalesce(array_agg((SELECT r.id FROM contacts r WHERE r.organization_id = p_organization_id AND r.email = k.key) ORDER BY k.position), '{}')
    INTO v_ids FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS k (key, position);
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

-- The contact with a change applied; what follows from other columns is brought in line. A change that only fills names leaves
-- those that are there.
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

-- The opportunities that name some contacts, as primary or as additional ones.
CREATE OR REPLACE FUNCTION opportunity_ids_of_contacts(p_organization_id uuid, p_contact_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.contact_id = ANY (p_contact_ids)
    UNION
    SELECT l.opportunity_id FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = ANY (p_contact_ids));
END
$$;

-- A change may also carry `account_domain`: where the contact goes when its email changes. The account is there.
CREATE OR REPLACE FUNCTION change_contact(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old contacts;
  n contacts;
BEGIN
  FOR v_look IN 1..2 LOOP
    IF v_look = 2 THEN
      IF p_change->'set' ?| '{first_name,last_name,email}' THEN
        PERFORM hold_names(p_organization_id, ARRAY[p_id], true);
        PERFORM lock_opportunities(p_organization_id, opportunity_ids_of_contacts(p_organization_id, ARRAY[p_id]));
      END IF;
      PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id FOR NO KEY UPDATE;
    END IF;
    SELECT * INTO v_old FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id;
    PERFORM check_version(v_old.version, p_change);
    n := changed_contact(v_old, p_change);
    IF n.email <> v_old.email THEN
      n.account_id := account_id_of(p_organization_id, p_change->>'account_domain');
    END IF;
    IF n IS NOT DISTINCT FROM v_old THEN
      RETURN false;
    END IF;
  END LOOP;
  PERFORM check_key_is_free('email', (SELECT c.id FROM contacts c
    WHERE c.organization_id = p_organization_id AND c.email = n.email AND c.id <> p_id));

  UPDATE contacts c SET
      (email, first_name, last_name, name_fold, account_id, job_title, phone, custom_fields, folds, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.email, n.first_name, n.last_name, n.name_fold, n.account_id, n.job_title, n.phone, n.custom_fields, n.folds, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8,
       greatest(write_time(), c.updated_at), c.version + 1)
    WHERE c.organization_id = p_organization_id AND c.id = p_id;
  IF n.email <> v_old.email THEN
    -- A deal without an account belongs to its primary contact, whatever the address: its natural key follows.
    UPDATE opportunities o SET account_key = n.email
      WHERE o.organization_id = p_organization_id AND o.contact_id = p_id AND o.account_id IS NULL AND o.account_key = v_old.email
        AND NOT EXISTS (SELECT FROM opportunities x WHERE x.organization_id = o.organization_id
              AND x.pipeline_id = o.pipeline_id AND x.account_key = n.email AND x.name = o.name);
  END IF;
  IF (n.first_name, n.last_name, n.email) IS DISTINCT FROM (v_old.first_name, v_old.last_name, v_old.email) THEN
    UPDATE opportunities o SET contact_email = n.email, contact_first_name_key = left(n.folds->>'first_name', 200),
           contact_last_name_key = left(n.folds->>'last_name', 200)
      WHERE o.organization_id = p_organization_id AND o.contact_id = p_id;
    PERFORM refresh_opportunity_records(p_organization_id, ARRAY(SELECT l.opportunity_id FROM opportunity_contacts l
      WHERE l.organization_id = p_organization_id AND l.contact_id = p_id));
  END IF;
  RETURN true;
END
$$;

-- p_input: {accounts, account_domain, change, on_match}. Answers the contact of that email, made or found; a found one that is
-- kept has its empty names filled.
CREATE OR REPLACE FUNCTION create_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_email text := v_change->'set'->>'email';
  v_row contacts;
  v_status text := 'matched';
  v_kept jsonb := '[]';
BEGIN
  SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = v_email;
  IF NOT FOUND THEN
    PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
    v_row := jsonb_populate_record(NULL::contacts, '{"custom_fields": {}, "folds": {}, "version": 1}');
    v_row := changed_contact(v_row, v_change);
    v_row.organization_id := p_organization_id;
    v_row.account_id := account_id_of(p_organization_id, p_input->>'account_domain');
    v_row.created_at := write_time();
    v_row.updated_at := v_row.created_at;
    v_row.id := new_id(v_row.created_at);
    INSERT INTO contacts SELECT v_row.* ON CONFLICT (organization_id, email) DO NOTHING;
    IF FOUND THEN
      v_status := 'created';
    ELSE
      SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = v_email;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
  END IF;
  IF v_status = 'matched' THEN
    IF change_contact(p_organization_id, v_row.id, CASE p_input->>'on_match'
         WHEN 'keep' THEN only_keys(v_change, '{set,folds}') || '{"fills_names": true}' ELSE v_change END) THEN
      v_status := 'updated';
      SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_row.id;
    END IF;
    IF p_input->>'on_match' = 'keep' THEN
      v_kept := kept_values(to_jsonb(v_row), v_change);
    END IF;
  END IF;
  RETURN jsonb_build_object('id', v_row.id, 'email', v_row.email, 'first_name', v_row.first_name, 'last_name', v_row.last_name,
    'record_status', v_status, 'kept', v_kept);
END
$$;

-- Whether a contact has another email than a change of it names.
CREATE OR REPLACE FUNCTION is_moved(p_organization_id uuid, p_input jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = (p_input->>'id')::uuid
                    AND c.email <> p_input->'change'->'set'->>'email');
END
$$;

-- p_input: {id, accounts, change}. The account of a new email is made where it is absent.
CREATE OR REPLACE FUNCTION update_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF is_moved(p_organization_id, p_input) THEN
    PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
  END IF;
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_contact(p_organization_id, (p_input->>'id')::uuid, p_input->'change') THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id}. The contact leaves its opportunities and notes.
CREATE OR REPLACE FUNCTION delete_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_opportunity_ids uuid[];
BEGIN
  PERFORM hold_names(p_organization_id, ARRAY[v_id], true);
  v_opportunity_ids := opportunity_ids_of_contacts(p_organization_id, ARRAY[v_id]);
  PERFORM lock_opportunities(p_organization_id, v_opportunity_ids);
  PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('not_found');
  END IF;
  DELETE FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = v_id;
  UPDATE opportunities o SET contact_id = nullif(o.contact_id, v_id), updated_at = greatest(write_time(), o.updated_at), version = o.version + 1
    WHERE o.organization_id = p_organization_id AND o.id = ANY (v_opportunity_ids);
  UPDATE opportunities o SET contact_email = NULL, contact_first_name_key = NULL, contact_last_name_key = NULL
    WHERE o.organization_id = p_organization_id AND o.id = ANY (v_opportunity_ids) AND o.contact_id IS NULL;
  PERFORM refresh_opportunity_records(p_organization_id, v_opportunity_ids);
  DELETE FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id;
  RETURN jsonb_build_object('id', v_id);
END
$$;
