-- Accounts. account_changes.sql explains changes, p_locked_ids and p_renamed_ids.

-- The id of the account with this domain, its own or an alias; null if there is none.
CREATE OR REPLACE FUNCTION find_account_id(p_organization_id uuid, p_domain text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT a.id INTO v_id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = p_domain;
  IF NOT FOUND THEN
    SELECT l.account_id INTO v_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain;
  END IF;
  RETURN v_id;
END
$$;

-- The ids of the accounts with these domains, in the order of p_domains; null for a domain without an account. An account is found by its
-- own domain or by an alias.
--
-- Keys from JSON are looked up one by one, as scalar subqueries. In a join, the planner assumes that a JSON array has 100 elements and
-- would read the whole of a medium-sized table.
--
-- Up to ten keys are looked up with find_account_id, whose statements read one table each. Citus can cache the plans of such statements.
-- More keys are looked up in one statement, which Citus plans at each call.
CREATE OR REPLACE FUNCTION find_account_ids(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF jsonb_array_length(p_domains) <= 10 THEN
    RETURN ARRAY(
      SELECT find_account_id(p_organization_id, k.key)
        FROM jsonb_array_elements_text(p_domains) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
  END IF;
  RETURN ARRAY(
    SELECT coalesce(
        (SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = k.key),
        (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = k.key))
      FROM jsonb_array_elements_text(p_domains) WITH ORDINALITY AS k (key, position) ORDER BY k.position);
END
$$;

-- Takes shared name locks on the accounts with these domains, and returns their ids. While the call waits for a lock, a merge may turn a
-- domain into an alias of another account, whose lock the call does not hold. The call then raises serialization_failure and is retried.
CREATE OR REPLACE FUNCTION share_account_names(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := find_account_ids(p_organization_id, p_domains);
BEGIN
  PERFORM lock_names(p_organization_id, 'account', v_ids, false);
  IF NOT array_remove(v_ids, NULL) <@ find_account_ids(p_organization_id, p_domains) THEN
    RAISE EXCEPTION 'an account was merged or deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- Like find_account_ids, for accounts that this call has found or created before. If one is missing now, a parallel call deleted it:
-- raises serialization_failure.
CREATE OR REPLACE FUNCTION require_account_ids(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := find_account_ids(p_organization_id, p_domains);
BEGIN
  IF array_position(v_ids, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'an account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- The id of the account with this domain, as require_account_ids finds it; null for a null domain.
CREATE OR REPLACE FUNCTION require_account_id(p_organization_id uuid, p_domain text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE WHEN p_domain IS NOT NULL THEN (require_account_ids(p_organization_id, jsonb_build_array(p_domain)))[1] END;
END
$$;

-- Creates the accounts that do not exist yet. p_accounts: [{domain, name, normalized_name, is_freemail, is_requested}], p_contacts:
-- [{email, account_domain}].
--
-- `is_requested` is true if the request names the domain, or if it creates a contact with an email of the domain or gives a contact such an
-- email. The other domains come from emails of contacts that the request refers to. Their accounts are created only if such a contact is
-- missing too.
CREATE OR REPLACE FUNCTION ensure_accounts(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb DEFAULT '[]') RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_seed record;
  v_row accounts;
  v_events text[] := '{}';
BEGIN
  FOR v_seed IN
    SELECT a.domain, a.name, a.normalized_name, a.is_freemail, concat_ws(' ', a.normalized_name, a.domain) AS search_text
      FROM jsonb_to_recordset(p_accounts) AS a (domain text, name text, normalized_name text, is_freemail boolean, is_requested boolean)
     WHERE find_account_id(p_organization_id, a.domain) IS NULL
       AND (a.is_requested OR a.domain IN (
             SELECT c.account_domain FROM jsonb_to_recordset(p_contacts) AS c (email text, account_domain text)
              WHERE find_contact_id(p_organization_id, c.email) IS NULL))
     ORDER BY a.domain COLLATE "C"
  LOOP
    INSERT INTO accounts (organization_id, id, domain, name, normalized_name, is_freemail, search_text, created_at, updated_at)
      VALUES (p_organization_id, new_id(v_now), v_seed.domain, v_seed.name, v_seed.normalized_name, v_seed.is_freemail, v_seed.search_text, v_now, v_now)
    ON CONFLICT (organization_id, domain) DO NOTHING RETURNING * INTO v_row;
    IF FOUND THEN
      v_events := v_events || creation_event('account', 'created', account_event_record(v_row));
      PERFORM check_domain_is_no_alias(p_organization_id, v_seed.domain);
    END IF;
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Inserts a new account. Returns a null id if a parallel call inserted the domain first.
-- p_input: {defaults: columns of a new account, change}.
CREATE OR REPLACE FUNCTION insert_account(p_organization_id uuid, p_input jsonb) RETURNS accounts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(NULL::accounts, '{"custom_fields": {}, "normalized": {}, "version": 1}' || (p_input->'defaults'));
BEGIN
  v_row := changed_account(v_row, p_input->'change');
  v_row.organization_id := p_organization_id;
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  INSERT INTO accounts VALUES (v_row.*) ON CONFLICT (organization_id, domain) DO NOTHING;
  IF NOT FOUND THEN
    v_row.id := NULL;
    RETURN v_row;
  END IF;
  PERFORM check_domain_is_no_alias(p_organization_id, v_row.domain);
  PERFORM collect_events(ARRAY[creation_event('account', 'created', account_event_record(v_row))]);
  RETURN v_row;
END
$$;

-- The account that a create refers to: the one with its external id, else the one with its domain, else a row of nulls. p_set: the
-- columns in the request.
CREATE OR REPLACE FUNCTION account_of_create(p_organization_id uuid, p_set jsonb) RETURNS accounts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row accounts;
BEGIN
  IF p_set ? 'external_id' THEN
    SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.external_id = p_set->>'external_id';
    IF FOUND THEN
      RETURN v_row;
    END IF;
  END IF;
  RETURN find_account(p_organization_id, p_set->>'domain');
END
$$;

-- Whether a create found its account by external id and sends a domain that no account has: a new domain for the account.
CREATE OR REPLACE FUNCTION sends_new_domain(p_row accounts, p_set jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT p_set ? 'external_id' OR coalesce(p_set->>'domain', p_row.domain) = p_row.domain THEN
    RETURN false;
  END IF;
  RETURN (find_account(p_row.organization_id, p_set->>'domain')).id IS NULL;
END
$$;

-- The change that a create with on_match update makes to the account that it found. An account that was found by an alias keeps its
-- domain. p_input: {change}.
CREATE OR REPLACE FUNCTION matched_account_change(p_row accounts, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
BEGIN
  IF sends_new_domain(p_row, v_set) THEN
    RETURN p_input->'change' || found_by(p_row.domain, p_row.external_id, v_set);
  END IF;
  RETURN p_input->'change' #- '{set,domain}' #- '{derived,is_freemail}' || found_by(p_row.domain, p_row.external_id, v_set);
END
$$;

-- The result of a create. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION account_result(p_row accounts, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_unapplied jsonb := '[]';
BEGIN
  IF p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN
    v_unapplied := unapplied_values(to_jsonb(p_row), p_input->'change');
    IF NOT sends_new_domain(p_row, p_input->'change'->'set') THEN
      v_unapplied := v_unapplied - 'domain';
    END IF;
  END IF;
  RETURN jsonb_build_object('id', p_row.id, 'domain', p_row.domain, 'name', p_row.name, 'record_status', p_status, 'unapplied', v_unapplied);
END
$$;

-- Creates an account, or finds the one with the same external id or domain. p_input: {defaults: columns of a new account, change,
-- on_match}.
CREATE OR REPLACE FUNCTION create_account(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL, p_renamed_ids uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
  v_row accounts := account_of_create(p_organization_id, v_set);
  v_status text := 'matched';
BEGIN
  IF v_set ? 'external_id' THEN
    PERFORM check_create_keys('account', v_row.id, (find_account(p_organization_id, v_set->>'domain')).id, v_set ? 'domain');
  END IF;
  IF v_row.id IS NULL THEN
    PERFORM check_may_insert(p_input, p_locked_ids);
    v_row := insert_account(p_organization_id, p_input);
    IF v_row.id IS NOT NULL THEN
      RETURN account_result(v_row, 'created', p_input);
    END IF;
    v_row := find_account(p_organization_id, v_set->>'domain');
    IF v_row.id IS NULL THEN
      RAISE EXCEPTION 'the account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;
  IF p_input->>'on_match' = 'update' AND change_account(p_organization_id, v_row.id, matched_account_change(v_row, p_input), p_locked_ids, p_renamed_ids) THEN
    v_status := 'updated';
    SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_row.id;
  END IF;
  RETURN account_result(v_row, v_status, p_input);
END
$$;

-- p_input: {id, change}.
CREATE OR REPLACE FUNCTION update_account(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL, p_renamed_ids uuid[] DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'record_status',
    CASE WHEN change_account(p_organization_id, (p_input->>'id')::uuid, p_input->'change', p_locked_ids, p_renamed_ids) THEN 'updated' ELSE 'matched' END);
END
$$;

-- p_input: {id, version, batch: {rows, bytes}}. Refuses to delete an account that has contacts or opportunities. First removes the account
-- from its notes, in several calls if there are many (contact_deletion.sql).
CREATE OR REPLACE FUNCTION delete_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts;
  v_contacts bigint;
  v_opportunities bigint;
BEGIN
  SELECT * INTO v_old FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = (p_input->>'id')::uuid FOR UPDATE;
  PERFORM check_version(v_old.version, p_input);
  SELECT count(*) INTO v_contacts FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_old.id;
  SELECT count(*) INTO v_opportunities FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_old.id;
  IF v_contacts + v_opportunities > 0 THEN
    PERFORM refuse('account_in_use', jsonb_build_object('contacts', v_contacts, 'opportunities', v_opportunities));
  END IF;
  IF NOT detach_notes(p_organization_id, 'account', v_old.id, p_input->'batch')
    OR NOT delete_results_of_record(p_organization_id, v_old.id, (p_input->'batch'->>'rows')::int) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_old.id;
  PERFORM collect_events(ARRAY[deletion_event('account', account_event_record(v_old))]);
  RETURN jsonb_build_object('id', v_old.id);
END
$$;
