-- Accounts: finding and creating them. account_changes.sql explains changes.

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
    PERFORM begin_change('shared');
    INSERT INTO accounts (organization_id, id, domain, name, normalized_name, is_freemail, search_text, created_at, updated_at)
      VALUES (p_organization_id, new_id(v_now), v_seed.domain, v_seed.name, v_seed.normalized_name, v_seed.is_freemail, v_seed.search_text, v_now, v_now)
    ON CONFLICT (organization_id, domain) DO NOTHING RETURNING * INTO v_row;
    IF FOUND THEN
      v_events := v_events || creation_event('account', 'created', account_event_record(v_row));
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
  PERFORM begin_change('shared');
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
  PERFORM collect_events(ARRAY[creation_event('account', 'created', account_event_record(v_row))]);
  RETURN v_row;
END
$$;

-- The account that a create refers to: the one with its external id, else the one with its domain, else null. Refuses a create whose keys
-- belong to different accounts. p_set: the columns in the request.
CREATE OR REPLACE FUNCTION account_id_of_create(p_organization_id uuid, p_set jsonb) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_key_id uuid := find_account_id(p_organization_id, p_set->>'domain');
  v_id uuid := v_key_id;
BEGIN
  IF p_set ? 'external_id' THEN
    v_id := coalesce((SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.external_id = p_set->>'external_id'), v_key_id);
    PERFORM check_create_keys('account', v_id, v_key_id, p_set ? 'domain');
  END IF;
  RETURN v_id;
END
$$;

-- Whether a create found its account by external id and sends a domain that no account has: a new domain for the account.
CREATE OR REPLACE FUNCTION sends_new_domain(p_row accounts, p_set jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN p_set ? 'external_id' AND p_set->>'domain' <> p_row.domain AND find_account_id(p_row.organization_id, p_set->>'domain') IS NULL;
END
$$;

-- The result of a create. p_input: {change, on_match}.
CREATE OR REPLACE FUNCTION account_result(p_row accounts, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_unapplied jsonb := '[]';
BEGIN
  IF p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN
    v_unapplied := unapplied_values(to_jsonb(p_row), p_input->'change');
    IF sends_new_domain(p_row, p_input->'change'->'set') IS NOT TRUE THEN
      v_unapplied := v_unapplied - 'domain';
    END IF;
  END IF;
  RETURN jsonb_build_object('id', p_row.id, 'domain', p_row.domain, 'name', p_row.name, 'record_status', p_status, 'unapplied', v_unapplied);
END
$$;

-- Creates an account, or finds the one with the same external id or domain. With on_match update, an account that was found gets the sent
-- values; found by an alias, it keeps its domain. p_input: {defaults: columns of a new account, change, on_match}.
CREATE OR REPLACE FUNCTION create_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_id uuid := account_id_of_create(p_organization_id, v_change->'set');
  v_row accounts;
  v_status text := 'matched';
BEGIN
  IF v_id IS NULL THEN
    v_row := insert_account(p_organization_id, p_input);
    IF v_row.id IS NOT NULL THEN
      RETURN account_result(v_row, 'created', p_input);
    END IF;
    v_id := find_account_id(p_organization_id, v_change->'set'->>'domain');
  END IF;
  v_row := read_account(p_organization_id, v_id);
  IF p_input->>'on_match' = 'update' THEN
    IF sends_new_domain(v_row, v_change->'set') IS NOT TRUE THEN
      v_change := v_change #- '{set,domain}' #- '{derived,is_freemail}';
    END IF;
    IF change_account(v_row, v_change) THEN
      v_status := 'updated';
      v_row := read_account(p_organization_id, v_id);
    END IF;
  END IF;
  RETURN account_result(v_row, v_status, p_input);
END
$$;
