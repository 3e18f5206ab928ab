-- Makes the accounts that are not there yet and are named, or wanted by a contact that is not there yet either.
-- p_accounts: [{domain, name, name_fold, is_freemail, is_named}], p_contacts as ensure_contacts takes them.
CREATE OR REPLACE FUNCTION ensure_accounts(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb DEFAULT '[]') RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  INSERT INTO accounts (organization_id, id, domain, name, name_fold, is_freemail, search_text, created_at, updated_at)
  SELECT p_organization_id, new_id(v_now), a.domain, a.name, a.name_fold, a.is_freemail, concat_ws(' ', a.name_fold, a.domain), v_now, v_now
    FROM jsonb_to_recordset(p_accounts) AS a (domain text, name text, name_fold text, is_freemail boolean, is_named boolean)
   WHERE (SELECT x.id FROM accounts x WHERE x.organization_id = p_organization_id AND x.domain = a.domain) IS NULL
     AND (a.is_named OR a.domain IN (
           SELECT c.account_domain FROM jsonb_to_recordset(p_contacts) AS c (email text, account_domain text)
            WHERE (SELECT x.id FROM contacts x WHERE x.organization_id = p_organization_id AND x.email = c.email) IS NULL))
   ORDER BY a.domain COLLATE "C"
  ON CONFLICT (organization_id, domain) DO NOTHING;
END
$$;

-- The ids of the accounts with these domains, in their order.
CREATE OR REPLACE FUNCTION account_ids(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[];
BEGIN
  SELECT coalesce(array_agg((SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = k.key) ORDER BY k.position), '{}')
    INTO v_ids FROM jsonb_array_elements_text(p_domains) WITH ORDINALITY AS k (key, position);
  IF array_position(v_ids, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'an account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- The id of the account with this domain; null for none.
CREATE OR REPLACE FUNCTION account_id_of(p_organization_id uuid, p_domain text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE WHEN p_domain IS NOT NULL THEN (account_ids(p_organization_id, jsonb_build_array(p_domain)))[1] END;
END
$$;

-- The account with a change applied; what follows from other columns is brought in line.
CREATE OR REPLACE FUNCTION changed_account(p_row accounts, p_change jsonb) RETURNS accounts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(p_row, coalesce(p_change->'set', '{}') || coalesce(p_change->'derived', '{}'));
BEGIN
  v_row.custom_fields := patched(v_row.custom_fields, p_change->'custom_fields');
  v_row.folds := patched(v_row.folds, p_change->'folds');
  v_row.search_text := concat_ws(' ', v_row.name_fold, v_row.domain);
  RETURN v_row;
END
$$;

-- The opportunities of some accounts.
CREATE OR REPLACE FUNCTION opportunity_ids_of_accounts(p_organization_id uuid, p_account_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = ANY (p_account_ids));
END
$$;

CREATE OR REPLACE FUNCTION change_account(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
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
    -- A new name or domain goes into what `q` looks through and what opportunities are sorted by.
    UPDATE opportunities o
       SET search_text = concat_ws(' ', o.name_fold, n.name_fold, n.domain), account_domain = n.domain, account_name_key = left(n.name_fold, 200)
      WHERE o.organization_id = p_organization_id AND o.account_id = p_id;
  END IF;
  RETURN true;
END
$$;

-- p_input: {defaults: columns of a new account, change, on_match}. Answers the account of that domain, made or found.
CREATE OR REPLACE FUNCTION create_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_domain text := v_change->'set'->>'domain';
  v_row accounts;
  v_status text := 'matched';
  v_kept jsonb := '[]';
BEGIN
  SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_domain;
  IF NOT FOUND THEN
    v_row := jsonb_populate_record(NULL::accounts, '{"custom_fields": {}, "folds": {}, "version": 1}' || (p_input->'defaults'));
    v_row := changed_account(v_row, v_change);
    v_row.organization_id := p_organization_id;
    v_row.created_at := write_time();
    v_row.updated_at := v_row.created_at;
    v_row.id := new_id(v_row.created_at);
    INSERT INTO accounts SELECT v_row.* ON CONFLICT (organization_id, domain) DO NOTHING;
    IF FOUND THEN
      v_status := 'created';
    ELSE
      SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_domain;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
  END IF;
  IF v_status = 'matched' THEN
    IF p_input->>'on_match' = 'keep' THEN
      v_kept := kept_values(to_jsonb(v_row), v_change);
    ELSIF change_account(p_organization_id, v_row.id, v_change) THEN
      v_status := 'updated';
      SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_row.id;
    END IF;
  END IF;
  RETURN jsonb_build_object('id', v_row.id, 'domain', v_row.domain, 'name', v_row.name, 'record_status', v_status, 'kept', v_kept);
END
$$;

-- p_input: {id, change}.
CREATE OR REPLACE FUNCTION update_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_account(p_organization_id, (p_input->>'id')::uuid, p_input->'change') THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id}. Refuses an account that still has contacts or opportunities; its notes stay without it.
CREATE OR REPLACE FUNCTION delete_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
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
