-- Accounts. A change is {set, derived, custom_fields, folds}: columns that the caller names, columns that follow from them, and what to
-- merge into the two maps. Absent keeps, null clears. A new record is a change to an empty one.

-- The ids of the accounts with these domains, in their order; null where there is none.
-- Keys from JSON are looked up one by one, as scalar subqueries: the planner takes every JSON array for a hundred elements, and
-- would read the whole of a middle-sized table to join with it.
CREATE OR REPLACE FUNCTION find_account_ids(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(
    SELECT (SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = k.key)
      FROM jsonb_array_elements_text(p_domains) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
END
$$;

-- As find_account_ids, for accounts that were there a moment ago.
CREATE OR REPLACE FUNCTION account_ids(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := find_account_ids(p_organization_id, p_domains);
BEGIN
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

-- Creates the missing accounts that are named, or that a missing contact needs.
-- p_accounts: [{domain, name, name_fold, is_freemail, is_named}], p_contacts: [{email, account_domain}].
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

-- The account with a change applied, and the columns that follow from others.
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

-- Inserts a new account; a null id in the answer says that another call was first.
-- p_input: {defaults: columns of a new account, change}.
CREATE OR REPLACE FUNCTION insert_account(p_organization_id uuid, p_input jsonb) RETURNS accounts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(NULL::accounts, '{"custom_fields": {}, "folds": {}, "version": 1}' || (p_input->'defaults'));
BEGIN
  v_row := changed_account(v_row, p_input->'change');
  v_row.organization_id := p_organization_id;
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  INSERT INTO accounts VALUES (v_row.*) ON CONFLICT (organization_id, domain) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
  END IF;
  RETURN v_row;
END
$$;

-- What a change would do to an account, without any lock. `renamed`: opportunities repeat what it changes (name, domain).
-- `rekeyed`: it changes the domain. Version is null, and all else false, where there is no such account.
CREATE OR REPLACE FUNCTION account_effect(p_organization_id uuid, p_id uuid, p_change jsonb,
  OUT version int, OUT changed boolean, OUT renamed boolean, OUT rekeyed boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts;
  v_new accounts;
BEGIN
  SELECT * INTO v_old FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id;
  v_new := changed_account(v_old, p_change);
  version := v_old.version;
  changed := version IS NOT NULL AND v_new IS DISTINCT FROM v_old;
  renamed := changed AND v_new.search_text <> v_old.search_text;
  rekeyed := changed AND v_new.domain <> v_old.domain;
END
$$;

-- Takes the locks for changes of accounts; p_renamed are those of p_ids that get another name or domain.
CREATE OR REPLACE FUNCTION lock_account_changes(p_organization_id uuid, p_ids uuid[], p_renamed uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_renamed <> '{}' THEN
    PERFORM lock_names(p_organization_id, 'account', p_renamed, true);
    PERFORM lock_opportunities(p_organization_id, ARRAY(
      SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = ANY (p_renamed)));
  END IF;
  PERFORM lock_accounts(p_organization_id, p_ids, p_renamed);
END
$$;

-- Waits for parallel calls that create an account of this domain, and keeps new ones waiting to the end of the transaction. Whoever
-- gives an account another domain does this before it takes its locks: those calls may wait for them.
CREATE OR REPLACE FUNCTION claim_domain(p_organization_id uuid, p_domain text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_id uuid := new_id(v_now);
BEGIN
  INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
    VALUES (p_organization_id, v_id, p_domain, '', v_now, v_now) ON CONFLICT (organization_id, domain) DO NOTHING;
  IF FOUND THEN
    DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id;
  END IF;
END
$$;

-- Changes an account whose locks are held, and what opportunities repeat of it. Returns whether anything changed.
CREATE OR REPLACE FUNCTION apply_account_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_may_rename boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_old accounts;
  n accounts;
BEGIN
  SELECT * INTO v_old FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id;
  PERFORM check_version(v_old.version, p_change);
  PERFORM check_found_key(v_old.domain, p_change);
  n := changed_account(v_old, p_change);
  IF n IS NOT DISTINCT FROM v_old THEN
    RETURN false;
  END IF;
  IF n.search_text <> v_old.search_text AND NOT p_may_rename THEN
    RAISE EXCEPTION 'the account was renamed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  IF n.domain <> v_old.domain THEN
    PERFORM check_key_is_free('account', 'domain', (
      SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = n.domain));
  END IF;

  UPDATE accounts a SET
      (domain, name, name_fold, industry, description, website, employee_range, is_freemail, custom_fields, folds, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.domain, n.name, n.name_fold, n.industry, n.description, n.website, n.employee_range, n.is_freemail, n.custom_fields, n.folds, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8,
       greatest(v_now, v_old.updated_at), v_old.version + 1)
    WHERE a.organization_id = p_organization_id AND a.id = p_id;
  IF n.search_text <> v_old.search_text THEN
    UPDATE opportunities o
       SET search_text = concat_ws(' ', o.name_fold, n.name_fold, n.domain), account_domain = n.domain, account_name_key = left(n.name_fold, 200)
      WHERE o.organization_id = p_organization_id AND o.account_id = p_id;
  END IF;
  RETURN true;
END
$$;

-- Changes an account. Returns whether anything changed; a change that changes nothing takes no lock and writes nothing.
-- p_locked: the accounts whose locks the caller holds already, with those of p_renamed for another name or domain; null for none.
CREATE OR REPLACE FUNCTION change_account(p_organization_id uuid, p_id uuid, p_change jsonb, p_locked uuid[] DEFAULT NULL, p_renamed uuid[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_effect record;
BEGIN
  SELECT * INTO v_effect FROM account_effect(p_organization_id, p_id, p_change);
  PERFORM check_version(v_effect.version, p_change);
  IF NOT v_effect.changed THEN
    RETURN false;
  END IF;
  IF p_locked IS NULL THEN
    IF v_effect.rekeyed THEN
      PERFORM claim_domain(p_organization_id, p_change->'set'->>'domain');
    END IF;
    PERFORM lock_account_changes(p_organization_id, ARRAY[p_id], CASE WHEN v_effect.renamed THEN ARRAY[p_id] ELSE '{}' END);
    RETURN apply_account_change(p_organization_id, p_id, p_change, v_effect.renamed);
  END IF;
  PERFORM check_locked(p_id, p_locked);
  RETURN apply_account_change(p_organization_id, p_id, p_change, p_id = ANY (p_renamed));
END
$$;

-- What a create changes of an account that exists, with on_match update. p_input: {change}.
CREATE OR REPLACE FUNCTION matched_account_change(p_input jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN p_input->'change' || jsonb_build_object('found_by_key', p_input->'change'->'set'->'domain');
END
$$;

-- The answer of a create. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION answer_account(p_row accounts, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_row.id, 'domain', p_row.domain, 'name', p_row.name, 'record_status', p_status,
    'kept', CASE WHEN p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN kept_values(to_jsonb(p_row), p_input->'change') ELSE '[]' END);
END
$$;

-- p_input: {defaults: columns of a new account, change, on_match}. Answers the account of that domain, created or found.
-- p_locked and p_renamed as for change_account.
CREATE OR REPLACE FUNCTION create_account(p_organization_id uuid, p_input jsonb, p_locked uuid[] DEFAULT NULL, p_renamed uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_domain text := v_change->'set'->>'domain';
  v_row accounts;
  v_status text := 'matched';
BEGIN
  SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_domain;
  IF NOT FOUND THEN
    v_row := insert_account(p_organization_id, p_input);
    IF v_row.id IS NOT NULL THEN
      RETURN answer_account(v_row, 'created', p_input);
    END IF;
    SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_domain;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF p_input->>'on_match' = 'update' AND change_account(p_organization_id, v_row.id, matched_account_change(p_input), p_locked, p_renamed) THEN
    v_status := 'updated';
    SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_row.id;
  END IF;
  RETURN answer_account(v_row, v_status, p_input);
END
$$;

-- p_input: {id, change}. p_locked and p_renamed as for change_account.
CREATE OR REPLACE FUNCTION update_account(p_organization_id uuid, p_input jsonb, p_locked uuid[] DEFAULT NULL, p_renamed uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_account(p_organization_id, (p_input->>'id')::uuid, p_input->'change', p_locked, p_renamed) THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id, version}. Refuses an account that still has contacts or opportunities; its notes stay without it.
CREATE OR REPLACE FUNCTION delete_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_version int;
  v_contacts bigint;
  v_opportunities bigint;
BEGIN
  SELECT a.version INTO v_version FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id FOR UPDATE;
  PERFORM check_version(v_version, p_input);
  SELECT count(*) INTO v_contacts FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_id;
  SELECT count(*) INTO v_opportunities FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_id;
  IF v_contacts + v_opportunities > 0 THEN
    PERFORM refuse('account_in_use', jsonb_build_object('contacts', v_contacts, 'opportunities', v_opportunities));
  END IF;
  DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id;
  PERFORM forget_results(p_organization_id, v_id);
  RETURN jsonb_build_object('id', v_id);
END
$$;
