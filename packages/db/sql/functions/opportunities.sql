-- Opportunities. A change is as for accounts. It may also carry `account_domain`, `primary_email` and `additional_emails`; those accounts
-- and contacts exist. `contact_limit` is how many additional contacts the opportunity may have.

-- The ids of an opportunity's additional contacts, in order.
CREATE OR REPLACE FUNCTION additional_contact_ids(p_organization_id uuid, p_opportunity_id uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(l.contact_id ORDER BY l.position), '{}')
    FROM opportunity_contacts l
   WHERE l.organization_id = p_organization_id AND l.opportunity_id = p_opportunity_id);
END
$$;

-- The record of an opportunity as default lists show it. `p_additional` are the ids of its additional contacts, in order.
CREATE OR REPLACE FUNCTION opportunity_record(o opportunities, p_additional uuid[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN '{"id":"' || o.id
      || '","name":' || to_json(o.name)
      || ',"pipeline_id":"' || o.pipeline_id
      || '","stage_id":' || coalesce('"' || o.stage_id || '"', 'null')
      || ',"stage_name":' || coalesce((
           SELECT to_json(s.label)::text FROM stages s WHERE s.organization_id = o.organization_id AND s.id = o.stage_id), 'null')
      || ',"account_id":' || coalesce('"' || o.account_id || '"', 'null')
      || ',"contact_id":' || coalesce('"' || o.contact_id || '"', 'null')
      || ',"additional_contacts":[' || coalesce((
           SELECT string_agg(
                    '{"contact_id":"' || c.id
                    || '","contact_first_name":' || coalesce(to_json(c.first_name)::text, 'null')
                    || ',"contact_last_name":' || coalesce(to_json(c.last_name)::text, 'null')
                    || ',"contact_email":' || to_json(c.email) || '}', ',' ORDER BY a.position)
             FROM unnest(p_additional) WITH ORDINALITY AS a (id, position)
             JOIN contacts c ON c.organization_id = o.organization_id AND c.id = a.id), '')
      || '],"custom_fields":' || (o.custom_fields - coalesce((
           SELECT array_agg(f.slug::text) FROM custom_fields f
            WHERE f.organization_id = o.organization_id AND f.object_type = 'opportunity' AND f.is_hidden), '{}'))
      || '}';
END
$$;

-- What an opportunity repeats of its account and primary contact: the text that `q` searches, and sort keys.
CREATE OR REPLACE FUNCTION with_related_texts(p_row opportunities) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
  v_account_text text;
BEGIN
  SELECT a.domain, left(a.name_fold, 200), concat_ws(' ', a.name_fold, a.domain)
    INTO v_row.account_domain, v_row.account_name_key, v_account_text
    FROM accounts a WHERE a.organization_id = v_row.organization_id AND a.id = v_row.account_id;
  SELECT c.email, left(c.folds->>'first_name', 200), left(c.folds->>'last_name', 200)
    INTO v_row.contact_email, v_row.contact_first_name_key, v_row.contact_last_name_key
    FROM contacts c WHERE c.organization_id = v_row.organization_id AND c.id = v_row.contact_id;
  v_row.search_text := concat_ws(' ', v_row.name_fold, v_account_text);
  RETURN v_row;
END
$$;

-- Rebuilds the stored records of some opportunities. Locks them first, so that it reads what parallel calls have committed.
CREATE OR REPLACE FUNCTION refresh_opportunity_records(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM lock_opportunities(p_organization_id, p_opportunity_ids);
  UPDATE opportunities o SET record = opportunity_record(o, additional_contact_ids(o.organization_id, o.id))
    WHERE o.organization_id = p_organization_id AND o.id = ANY (p_opportunity_ids);
END
$$;

-- The natural key of an opportunity as one text, to compare it.
CREATE OR REPLACE FUNCTION opportunity_key(p_row opportunities) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN concat_ws(E'\n', p_row.pipeline_id, p_row.account_key, p_row.name);
END
$$;

-- The id of the opportunity with the natural key of p_row, or null.
CREATE OR REPLACE FUNCTION opportunity_id_of_key(p_row opportunities) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT o.id FROM opportunities o
           WHERE o.organization_id = p_row.organization_id AND o.pipeline_id = p_row.pipeline_id
             AND o.account_key = p_row.account_key AND o.name = p_row.name);
END
$$;

-- The opportunity with a change applied, apart from related texts and record. Naming the account or the primary contact sets the
-- account's part of the natural key: the account's id, else the primary contact's id, else empty. So a contact's new email keeps it.
CREATE OR REPLACE FUNCTION changed_opportunity(p_row opportunities, p_change jsonb) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := jsonb_populate_record(p_row, coalesce(p_change->'set', '{}') || coalesce(p_change->'derived', '{}'));
BEGIN
  v_row.custom_fields := patched(v_row.custom_fields, p_change->'custom_fields');
  v_row.folds := patched(v_row.folds, p_change->'folds');
  IF p_change ? 'account_domain' THEN
    v_row.account_id := account_id_of(v_row.organization_id, p_change->>'account_domain');
  END IF;
  IF p_change ? 'primary_email' THEN
    v_row.contact_id := contact_id_of(v_row.organization_id, p_change->>'primary_email');
  END IF;
  IF p_change ?| '{account_domain,primary_email}' OR v_row.account_key IS NULL THEN
    v_row.account_key := coalesce(v_row.account_id::text, v_row.contact_id::text, '');
  END IF;
  RETURN v_row;
END
$$;

-- The additional contacts after a change. A list that was sent replaces the old one; with `adds_contacts` it is added, and a replaced
-- primary contact becomes an additional one. The primary contact is never also an additional one.
CREATE OR REPLACE FUNCTION wanted_contact_ids(p_old opportunities, p_new opportunities, p_linked uuid[], p_change jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := p_linked;
BEGIN
  IF p_change ? 'adds_contacts' THEN
    v_ids := v_ids || p_old.contact_id || contact_ids(p_old.organization_id, coalesce(p_change->'additional_emails', '[]'));
  ELSIF p_change ? 'additional_emails' THEN
    v_ids := contact_ids(p_old.organization_id, p_change->'additional_emails');
  END IF;
  RETURN ARRAY(
    SELECT i.id FROM unnest(v_ids) WITH ORDINALITY AS i (id, position)
     WHERE i.id IS NOT NULL AND i.id IS DISTINCT FROM p_new.contact_id GROUP BY i.id ORDER BY min(i.position));
END
$$;

-- Whether a change would change an opportunity; false where there is none. Takes no lock.
CREATE OR REPLACE FUNCTION opportunity_is_changed(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old opportunities;
  v_new opportunities;
  v_linked uuid[];
BEGIN
  SELECT * INTO v_old FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_id;
  IF v_old.id IS NULL THEN
    RETURN false;
  END IF;
  v_linked := additional_contact_ids(p_organization_id, p_id);
  v_new := changed_opportunity(v_old, p_change);
  RETURN v_new IS DISTINCT FROM v_old OR wanted_contact_ids(v_old, v_new, v_linked, p_change) <> v_linked;
END
$$;

-- Makes the links of an opportunity to its additional contacts those of p_wanted, in its order.
CREATE OR REPLACE FUNCTION link_contacts(p_row opportunities, p_wanted uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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

-- Inserts an opportunity and its links; a null id in the answer says that another call was first.
CREATE OR REPLACE FUNCTION insert_opportunity(p_row opportunities, p_additional uuid[]) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
BEGIN
  PERFORM lock_names(v_row.organization_id, 'account', ARRAY[v_row.account_id], false);
  PERFORM lock_names(v_row.organization_id, 'contact', v_row.contact_id || p_additional, false);
  PERFORM lock_visible_fields(v_row.organization_id, false);
  v_row := with_related_texts(v_row);
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  v_row.record := opportunity_record(v_row, p_additional);
  INSERT INTO opportunities VALUES (v_row.*) ON CONFLICT (organization_id, pipeline_id, account_key, name) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
    RETURN v_row;
  END IF;
  INSERT INTO opportunity_contacts (organization_id, opportunity_id, contact_id, position)
    SELECT v_row.organization_id, v_row.id, a.id, a.position
      FROM unnest(p_additional) WITH ORDINALITY AS a (id, position) ORDER BY a.id;
  RETURN v_row;
END
$$;

-- Changes an opportunity whose lock is held. Returns whether anything changed.
-- p_names: the accounts and contacts whose names are locked.
CREATE OR REPLACE FUNCTION apply_opportunity_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_names uuid[]) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_old opportunities;
  n opportunities;
  v_linked uuid[];
  v_wanted uuid[];
BEGIN
  SELECT * INTO v_old FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_id;
  PERFORM check_version(v_old.version, p_change);
  PERFORM check_found_key(opportunity_key(v_old), p_change);
  -- An email or domain may belong to another record since its name was locked.
  IF p_names IS NOT NULL AND NOT named_ids(p_organization_id, p_change) <@ p_names THEN
    RAISE EXCEPTION 'a contact or account got another key meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  v_linked := additional_contact_ids(p_organization_id, p_id);
  n := changed_opportunity(v_old, p_change);
  v_wanted := wanted_contact_ids(v_old, n, v_linked, p_change);
  IF n IS NOT DISTINCT FROM v_old AND v_wanted = v_linked THEN
    RETURN false;
  END IF;
  IF cardinality(v_wanted) > (p_change->>'contact_limit')::int THEN
    PERFORM refuse('too_many_contacts', jsonb_build_object('limit', p_change->'contact_limit'));
  END IF;
  IF (n.account_key, n.name) <> (v_old.account_key, v_old.name) THEN
    PERFORM check_key_is_free(
      'opportunity',
      CASE WHEN n.name <> v_old.name THEN 'name' WHEN p_change ? 'account_domain' THEN 'account_domain' ELSE 'primary_email' END,
      nullif(opportunity_id_of_key(n), p_id));
  END IF;

  IF v_wanted <> v_linked THEN
    PERFORM link_contacts(n, v_wanted);
  END IF;
  n := with_related_texts(n);
  n.record := opportunity_record(n, v_wanted);
  UPDATE opportunities o SET
      (account_key, name, name_fold, stage_id, account_id, contact_id, owner_id, amount, currency, close_date, next_action_date, next_step,
       account_domain, account_name_key, contact_email, contact_first_name_key, contact_last_name_key,
       record, custom_fields, folds, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.account_key, n.name, n.name_fold, n.stage_id, n.account_id, n.contact_id, n.owner_id, n.amount, n.currency, n.close_date, n.next_action_date, n.next_step,
       n.account_domain, n.account_name_key, n.contact_email, n.contact_first_name_key, n.contact_last_name_key,
       n.record, n.custom_fields, n.folds, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8,
       greatest(v_now, v_old.updated_at), v_old.version + 1)
    WHERE o.organization_id = p_organization_id AND o.id = p_id;
  RETURN true;
END
$$;

-- The ids of the account and the contacts that a change names.
CREATE OR REPLACE FUNCTION named_ids(p_organization_id uuid, p_change jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN array_remove(ARRAY[account_id_of(p_organization_id, p_change->>'account_domain'), contact_id_of(p_organization_id, p_change->>'primary_email')]
    || contact_ids(p_organization_id, coalesce(p_change->'additional_emails', '[]')), NULL);
END
$$;

-- Changes an opportunity. Returns whether anything changed; a change that changes nothing takes no lock and writes nothing.
-- p_locked: the opportunities whose locks the caller holds already, null for none; p_names: the accounts and contacts whose names it
-- has locked.
CREATE OR REPLACE FUNCTION change_opportunity(p_organization_id uuid, p_id uuid, p_change jsonb, p_locked uuid[] DEFAULT NULL, p_names uuid[] DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_account_id uuid;
  v_contact_ids uuid[];
BEGIN
  PERFORM check_version((SELECT o.version FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_id), p_change);
  IF NOT opportunity_is_changed(p_organization_id, p_id, p_change) THEN
    RETURN false;
  END IF;
  IF p_locked IS NOT NULL THEN
    PERFORM check_locked(p_id, p_locked);
    RETURN apply_opportunity_change(p_organization_id, p_id, p_change, p_names);
  END IF;
  -- Names that it refers to already need no lock, because a rename locks this opportunity too.
  v_account_id := account_id_of(p_organization_id, p_change->>'account_domain');
  v_contact_ids := contact_id_of(p_organization_id, p_change->>'primary_email')
    || contact_ids(p_organization_id, coalesce(p_change->'additional_emails', '[]'));
  PERFORM lock_names(p_organization_id, 'account', ARRAY[v_account_id], false);
  PERFORM lock_names(p_organization_id, 'contact', v_contact_ids, false);
  PERFORM lock_opportunities(p_organization_id, ARRAY[p_id]);
  RETURN apply_opportunity_change(p_organization_id, p_id, p_change, v_account_id || v_contact_ids);
END
$$;

-- A new opportunity before it has an id. p_input as for create_opportunity; its accounts and contacts exist.
CREATE OR REPLACE FUNCTION new_opportunity(p_organization_id uuid, p_input jsonb) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := jsonb_populate_record(NULL::opportunities, '{"custom_fields": {}, "folds": {}, "version": 1}' || (p_input->'defaults'));
BEGIN
  v_row.organization_id := p_organization_id;
  v_row.account_id := account_id_of(p_organization_id, p_input->>'account_domain');
  RETURN changed_opportunity(v_row, p_input->'change');
END
$$;

-- What a create changes of an opportunity that exists: with on_match keep, only its contacts. p_row: the natural key by which it was
-- found; p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION matched_opportunity_change(p_row opportunities, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('found_by_key', opportunity_key(p_row)) || CASE p_input->>'on_match'
    WHEN 'keep' THEN only_keys(p_input->'change', '{primary_email,additional_emails,contact_limit}') || '{"adds_contacts": true}'
    ELSE p_input->'change' END;
END
$$;

-- p_input: {accounts, contacts (as ensure_related takes them), account_domain, defaults: columns of a new opportunity, change (with
-- primary_email and additional_emails if they were sent), on_match}. Answers the opportunity of that natural key, created or
-- found; a found one that is kept gets the contacts that were sent. p_locked, p_names as for change_opportunity.
CREATE OR REPLACE FUNCTION create_opportunity(p_organization_id uuid, p_input jsonb, p_locked uuid[] DEFAULT NULL, p_names uuid[] DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_row opportunities;
  v_id uuid;
  v_status text := 'matched';
  v_kept jsonb := '[]';
BEGIN
  PERFORM ensure_related(p_organization_id, p_input->'accounts', p_input->'contacts');
  v_row := new_opportunity(p_organization_id, p_input);
  v_id := opportunity_id_of_key(v_row);
  IF v_id IS NULL THEN
    v_row := insert_opportunity(v_row, contact_ids(p_organization_id, coalesce(v_change->'additional_emails', '[]')));
    IF v_row.id IS NOT NULL THEN
      v_status := 'created';
    ELSE
      v_id := opportunity_id_of_key(v_row);
      IF v_id IS NULL THEN
        RAISE EXCEPTION 'the opportunity was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
  END IF;
  IF v_status = 'matched' THEN
    IF change_opportunity(p_organization_id, v_id, matched_opportunity_change(v_row, p_input), p_locked, p_names) THEN
      v_status := 'updated';
    END IF;
    SELECT * INTO v_row FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id;
    IF p_input->>'on_match' = 'keep' THEN
      v_kept := kept_values(to_jsonb(v_row) - 'record', v_change);
    END IF;
  END IF;
  RETURN jsonb_build_object('id', v_row.id, 'name', v_row.name, 'amount', trim_scale(v_row.amount),
    'record_status', v_status, 'kept', v_kept);
END
$$;

-- p_input: {id, accounts, contacts, change}. p_locked, p_names as for change_opportunity.
CREATE OR REPLACE FUNCTION update_opportunity(p_organization_id uuid, p_input jsonb, p_locked uuid[] DEFAULT NULL, p_names uuid[] DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM ensure_related(p_organization_id, p_input->'accounts', p_input->'contacts');
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_opportunity(p_organization_id, (p_input->>'id')::uuid, p_input->'change', p_locked, p_names) THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id, version}.
CREATE OR REPLACE FUNCTION delete_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
BEGIN
  PERFORM lock_opportunities(p_organization_id, ARRAY[v_id]);
  PERFORM check_version((SELECT o.version FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id), p_input);
  DELETE FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id;
  PERFORM forget_results(p_organization_id, v_id);
  RETURN jsonb_build_object('id', v_id);
END
$$;
