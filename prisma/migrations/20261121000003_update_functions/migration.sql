-- Changes and deletions. Each change_… function first looks whether anything would differ, without a lock, and only then takes
-- its locks and looks again: a change that changes nothing writes nothing. They answer whether they changed the record.

-- Refuses a change of a record that is not there, or that has another version than the caller has seen.
CREATE FUNCTION check_version(p_found_version int, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_found_version IS NULL THEN
    PERFORM refuse('not_found');
  ELSIF p_found_version <> (p_change->>'version')::int THEN
    PERFORM refuse('precondition_failed');
  END IF;
END
$$;

-- Refuses a change onto the natural key of another record.
CREATE FUNCTION check_key_is_free(p_field text, p_holder_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_holder_id IS NOT NULL THEN
    PERFORM refuse('conflict', jsonb_build_object('extra', jsonb_build_object(
      'conflict', jsonb_build_object('field', p_field, 'existing_id', p_holder_id))));
  END IF;
END
$$;

-- The opportunities of some accounts.
CREATE FUNCTION opportunity_ids_of_accounts(p_organization_id uuid, p_account_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = ANY (p_account_ids));
END
$$;

CREATE FUNCTION change_account(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts;
  n accounts;
BEGIN
  FOR v_look IN 1..2 LOOP
    IF v_look = 2 THEN
      IF p_change->'set' ?| '{name,domain}' THEN
        PERFORM hold_names(p_organization_id, ARRAY[p_id], true);
        PERFORM lock_opportunities(p_organization_id, opportunity_ids_of_accounts(p_organization_id, ARRAY[p_id]));
      END IF;
      PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id FOR NO KEY UPDATE;
    END IF;
    SELECT * INTO v_old FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id;
    PERFORM check_version(v_old.version, p_change);
    n := changed_account(v_old, p_change);
    IF n IS NOT DISTINCT FROM v_old THEN
      RETURN false;
    END IF;
  END LOOP;
  PERFORM check_key_is_free('domain', (SELECT a.id FROM accounts a
    WHERE a.organization_id = p_organization_id AND a.domain = n.domain AND a.id <> p_id));

  UPDATE accounts a SET
      (domain, name, name_fold, industry, description, website, employee_range, is_freemail, custom_fields, folds, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.domain, n.name, n.name_fold, n.industry, n.description, n.website, n.employee_range, n.is_freemail, n.custom_fields, n.folds, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8,
       greatest(write_time(), a.updated_at), a.version + 1)
    WHERE a.organization_id = p_organization_id AND a.id = p_id;
  IF n.search_text <> v_old.search_text THEN
    -- A new name or domain goes into what `q` looks through.
    UPDATE opportunities o SET search_text = concat_ws(' ', o.name_fold, n.name_fold, n.domain)
      WHERE o.organization_id = p_organization_id AND o.account_id = p_id;
  END IF;
  RETURN true;
END
$$;

-- The opportunities that name some contacts, as primary or as additional ones.
CREATE FUNCTION opportunity_ids_of_contacts(p_organization_id uuid, p_contact_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.contact_id = ANY (p_contact_ids)
    UNION
    SELECT l.opportunity_id FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = ANY (p_contact_ids));
END
$$;

-- A change may also carry `account_domain`: where the contact goes when its email changes. The account is there.
CREATE FUNCTION change_contact(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
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
    PERFORM refresh_opportunity_records(p_organization_id, ARRAY(SELECT l.opportunity_id FROM opportunity_contacts l
      WHERE l.organization_id = p_organization_id AND l.contact_id = p_id));
  END IF;
  RETURN true;
END
$$;

-- The additional contacts that a change leaves. A list that is sent replaces the old one; with `adds_contacts` it adds to it, and
-- a primary contact that is replaced becomes an additional one. The primary contact is never also an additional one.
CREATE FUNCTION wanted_contact_ids(p_old opportunities, p_new opportunities, p_linked uuid[], p_change jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := p_linked;
BEGIN
  IF p_change ? 'adds_contacts' THEN
    v_ids := v_ids || p_old.contact_id || contact_ids(p_old.organization_id, coalesce(p_change->'additional_emails', '[]'));
  ELSIF p_change ? 'additional_emails' THEN
    v_ids := contact_ids(p_old.organization_id, p_change->'additional_emails');
  END IF;
  SELECT coalesce(array_agg(w.id ORDER BY w.position), '{}') INTO v_ids FROM (
    SELECT i.id, min(i.position) AS position FROM unnest(v_ids) WITH ORDINALITY AS i (id, position)
     WHERE i.id IS NOT NULL AND i.id IS DISTINCT FROM p_new.contact_id GROUP BY i.id) w;
  IF cardinality(v_ids) > 100 THEN
    PERFORM refuse('validation_failed', '{"errors": {"related_objects.additional_contact_emails": "The opportunity would have more than 100 additional contacts"}}');
  END IF;
  RETURN v_ids;
END
$$;

-- The accounts and contacts that a change of an opportunity names.
CREATE FUNCTION named_ids(p_organization_id uuid, p_change jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY[account_id_of(p_organization_id, p_change->>'account_domain'), contact_id_of(p_organization_id, p_change->>'primary_email')]
    || contact_ids(p_organization_id, coalesce(nullif(p_change->'additional_emails', 'null'), '[]'));
END
$$;

-- Makes the links of an opportunity to its additional contacts those of p_wanted, in its order.
CREATE FUNCTION link_contacts(p_row opportunities, p_wanted uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM opportunity_contacts l
    WHERE l.organization_id = p_row.organization_id AND l.opportunity_id = p_row.id AND l.contact_id <> ALL (p_wanted);
  INSERT INTO opportunity_contacts AS l (organization_id, opportunity_id, contact_id, position)
    SELECT p_row.organization_id, p_row.id, w.id, w.position
      FROM unnest(p_wanted) WITH ORDINALITY AS w (id, position) ORDER BY w.id
  ON CONFLICT (organization_id, opportunity_id, contact_id) DO UPDATE SET position = excluded.position
    WHERE l.position <> excluded.position;
END
$$;

-- A change may also carry `account_domain`, `primary_email` and `additional_emails`; those accounts and contacts are there.
CREATE FUNCTION change_opportunity(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old opportunities;
  n opportunities;
  v_linked uuid[];
  v_wanted uuid[];
BEGIN
  FOR v_look IN 1..2 LOOP
    IF v_look = 2 THEN
      PERFORM lock_opportunities(p_organization_id, ARRAY[p_id]);
    END IF;
    SELECT * INTO v_old FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_id;
    PERFORM check_version(v_old.version, p_change);
    v_linked := additional_contact_ids(p_organization_id, p_id);
    n := changed_opportunity(v_old, p_change);
    v_wanted := wanted_contact_ids(v_old, n, v_linked, p_change);
    IF n IS NOT DISTINCT FROM v_old AND v_wanted = v_linked THEN
      RETURN false;
    END IF;
    -- What it refers to already needs no hold: whoever changes those names needs the lock on this row.
    PERFORM hold_names(p_organization_id, named_ids(p_organization_id, p_change) || ARRAY(
      SELECT w FROM unnest(v_wanted) w WHERE w <> ALL (v_linked)), false);
  END LOOP;
  IF (n.account_key, n.name) <> (v_old.account_key, v_old.name) THEN
    PERFORM check_key_is_free(
      CASE WHEN n.name <> v_old.name THEN 'opportunity.name'
           WHEN p_change ? 'account_domain' THEN 'related_objects.account_domain'
           ELSE 'related_objects.primary_contact_email' END,
      nullif(opportunity_id_of_key(n), p_id));
  END IF;

  IF v_wanted <> v_linked THEN
    PERFORM link_contacts(n, v_wanted);
  END IF;
  n.search_text := opportunity_search_text(n);
  n.record := opportunity_record(n, v_wanted);
  UPDATE opportunities o SET
      (account_key, name, name_fold, stage_id, account_id, contact_id, owner_id, amount, currency, close_date, next_action_date, next_step,
       record, custom_fields, folds, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.account_key, n.name, n.name_fold, n.stage_id, n.account_id, n.contact_id, n.owner_id, n.amount, n.currency, n.close_date, n.next_action_date, n.next_step,
       n.record, n.custom_fields, n.folds, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8,
       greatest(write_time(), o.updated_at), o.version + 1)
    WHERE o.organization_id = p_organization_id AND o.id = p_id;
  RETURN true;
END
$$;

-- p_input: {id, change}.
CREATE FUNCTION update_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_account(p_organization_id, (p_input->>'id')::uuid, p_input->'change') THEN 'updated' ELSE 'matched' END);
END
$$;

-- Whether a contact has another email than a change of it names.
CREATE FUNCTION is_moved(p_organization_id uuid, p_input jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN EXISTS (SELECT FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = (p_input->>'id')::uuid
                    AND c.email <> p_input->'change'->'set'->>'email');
END
$$;

-- p_input: {id, accounts, change}. The account of a new email is made where it is absent.
CREATE FUNCTION update_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF is_moved(p_organization_id, p_input) THEN
    PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
  END IF;
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_contact(p_organization_id, (p_input->>'id')::uuid, p_input->'change') THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id, accounts, contacts, change}.
CREATE FUNCTION update_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_input->'accounts', p_input->'contacts');
  PERFORM ensure_contacts(p_organization_id, p_input->'contacts');
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_opportunity(p_organization_id, (p_input->>'id')::uuid, p_input->'change') THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id}. Refuses an account that still has contacts or opportunities; its notes stay without it.
CREATE FUNCTION delete_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_contacts bigint;
  v_opportunities bigint;
BEGIN
  PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM refuse('not_found');
  END IF;
  SELECT count(*) INTO v_contacts FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_id;
  SELECT count(*) INTO v_opportunities FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_id;
  IF v_contacts + v_opportunities > 0 THEN
    PERFORM refuse('conflict', jsonb_build_object('message', 'The account still has contacts or opportunities', 'extra',
      jsonb_build_object('counts', jsonb_build_object('contacts', v_contacts, 'opportunities', v_opportunities))));
  END IF;
  DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id;
  RETURN jsonb_build_object('id', v_id);
END
$$;

-- p_input: {id}. The contact leaves its opportunities and notes.
CREATE FUNCTION delete_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
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
  PERFORM refresh_opportunity_records(p_organization_id, v_opportunity_ids);
  DELETE FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id;
  RETURN jsonb_build_object('id', v_id);
END
$$;

-- p_input: {id}.
CREATE FUNCTION delete_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = (p_input->>'id')::uuid;
  IF NOT FOUND THEN
    PERFORM refuse('not_found');
  END IF;
  RETURN jsonb_build_object('id', p_input->'id');
END
$$;

-- p_input: {id}. What the note was on stays.
CREATE FUNCTION delete_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM notes n WHERE n.organization_id = p_organization_id AND n.id = (p_input->>'id')::uuid;
  IF NOT FOUND THEN
    PERFORM refuse('not_found');
  END IF;
  RETURN jsonb_build_object('id', p_input->'id');
END
$$;
