-- Changes of accounts.
--
-- A change is {set, derived, custom_fields, normalized}: the columns in the request, the columns computed from them, and patches of the
-- two JSON columns. A missing key keeps its value; null clears it. A new record is a change to an empty row.
--
-- A bulk call takes all its locks before its items run. Functions that run alone and in bulk calls have two parameters for these locks:
--   p_locked_ids    the records that the bulk call has locked; null outside of bulk calls
--   p_renamed_ids   those of them whose name lock it holds exclusively

-- The account with a change applied, including the columns that are computed from others.
CREATE OR REPLACE FUNCTION changed_account(p_row accounts, p_change jsonb) RETURNS accounts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(p_row, coalesce(p_change->'set', '{}') || coalesce(p_change->'derived', '{}'));
BEGIN
  v_row.custom_fields := merge_patch(v_row.custom_fields, p_change->'custom_fields');
  v_row.normalized := merge_patch(v_row.normalized, p_change->'normalized');
  v_row.search_text := concat_ws(' ', v_row.normalized_name, v_row.domain);
  RETURN v_row;
END
$$;

-- What a change would do to an account. Takes no lock. has_new_name: it changes the name or domain, which opportunities copy.
-- has_new_key: it changes the domain. If the account does not exist, version is null and the rest is false.
CREATE OR REPLACE FUNCTION account_effect(p_organization_id uuid, p_id uuid, p_change jsonb,
  OUT version int, OUT is_changed boolean, OUT has_new_name boolean, OUT has_new_key boolean) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts;
  v_new accounts;
BEGIN
  SELECT * INTO v_old FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id;
  v_new := changed_account(v_old, p_change);
  version := v_old.version;
  is_changed := version IS NOT NULL AND v_new IS DISTINCT FROM v_old;
  has_new_name := is_changed AND v_new.search_text <> v_old.search_text;
  has_new_key := is_changed AND v_new.domain <> v_old.domain;
END
$$;

-- Takes the locks for changes of the accounts p_ids. p_renamed_ids: those of them whose name or domain changes.
CREATE OR REPLACE FUNCTION lock_account_changes(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
  v_opportunity_ids uuid[] := '{}';
BEGIN
  IF p_renamed_ids <> '{}' THEN
    PERFORM lock_names(p_organization_id, 'account', p_renamed_ids, true);
    -- One account at a time: for an array of accounts, PostgreSQL may read every opportunity of the organization.
    FOREACH v_id IN ARRAY p_renamed_ids LOOP
      v_opportunity_ids := v_opportunity_ids || ARRAY(
        SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_id);
    END LOOP;
    PERFORM lock_opportunities(p_organization_id, v_opportunity_ids);
  END IF;
  PERFORM lock_accounts(p_organization_id, p_ids, p_renamed_ids);
END
$$;

-- Waits for parallel calls that create an account with this domain, and makes later ones wait until this transaction ends, like
-- claim_opportunity_key. A call that changes a domain claims the new one before it locks names and records, because a call that it waits
-- for may need those locks.
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

-- Updates all columns of an account that can change.
CREATE OR REPLACE FUNCTION update_account_row(n accounts) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE accounts a SET
      (domain, external_id, name, normalized_name, industry, description, website, employee_range, is_freemail, custom_fields, normalized, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, updated_at, version)
    = (n.domain, n.external_id, n.name, n.normalized_name, n.industry, n.description, n.website, n.employee_range, n.is_freemail, n.custom_fields, n.normalized, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8, n.updated_at, n.version)
    WHERE a.organization_id = n.organization_id AND a.id = n.id;
END
$$;

-- Copies an account's name and domain to its opportunities. The caller holds the locks of the opportunities.
CREATE OR REPLACE FUNCTION copy_account_texts(p_account accounts) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE opportunities o
     SET search_text = o.normalized_name || ' ' || p_account.search_text, account_domain = p_account.domain,
         account_name_key = left(p_account.normalized_name, 200)
    WHERE o.organization_id = p_account.organization_id AND o.account_id = p_account.id;
END
$$;

-- Applies a change to an account whose locks are held, and updates the copies in its opportunities. Returns whether anything changed.
-- p_holds_name: whether the name lock of the account is held exclusively.
CREATE OR REPLACE FUNCTION apply_account_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_holds_name boolean) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old accounts;
  v_new accounts;
BEGIN
  SELECT * INTO v_old FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id;
  PERFORM check_version(v_old.version, p_change);
  PERFORM check_found_key(v_old.domain, v_old.external_id, p_change);
  v_new := changed_account(v_old, p_change);
  IF v_new IS NOT DISTINCT FROM v_old THEN
    RETURN false;
  END IF;
  IF v_new.search_text <> v_old.search_text AND NOT p_holds_name THEN
    RAISE EXCEPTION 'the account was renamed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  IF v_new.domain <> v_old.domain THEN
    PERFORM check_key_is_free('account', 'domain', (
      SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_new.domain));
  END IF;
  IF v_new.external_id IS DISTINCT FROM v_old.external_id THEN
    PERFORM check_key_is_free('account', 'external_id', (
      SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.external_id = v_new.external_id));
  END IF;
  v_new.updated_at := greatest(write_time(), v_old.updated_at);
  v_new.version := v_old.version + 1;

  PERFORM update_account_row(v_new);
  IF v_new.domain <> v_old.domain THEN
    PERFORM drop_own_domain_alias(p_organization_id, v_new.domain, p_id);
  END IF;
  IF v_new.search_text <> v_old.search_text THEN
    PERFORM copy_account_texts(v_new);
  END IF;
  PERFORM collect_events(ARRAY[change_event('account', account_event_record(v_old), account_event_record(v_new))]);
  RETURN true;
END
$$;

-- Changes an account. Returns whether anything changed. A change without effect takes no lock and writes nothing.
CREATE OR REPLACE FUNCTION change_account(p_organization_id uuid, p_id uuid, p_change jsonb, p_locked_ids uuid[] DEFAULT NULL, p_renamed_ids uuid[] DEFAULT '{}') RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_effect record;
BEGIN
  SELECT * INTO v_effect FROM account_effect(p_organization_id, p_id, p_change);
  PERFORM check_version(v_effect.version, p_change);
  IF NOT v_effect.is_changed THEN
    RETURN false;
  END IF;
  IF p_locked_ids IS NULL THEN
    IF v_effect.has_new_key THEN
      PERFORM claim_domain(p_organization_id, p_change->'set'->>'domain');
    END IF;
    PERFORM lock_account_changes(p_organization_id, ARRAY[p_id], CASE WHEN v_effect.has_new_name THEN ARRAY[p_id] ELSE '{}' END);
    RETURN apply_account_change(p_organization_id, p_id, p_change, v_effect.has_new_name);
  END IF;
  PERFORM check_locked(p_id, p_locked_ids);
  RETURN apply_account_change(p_organization_id, p_id, p_change, p_id = ANY (p_renamed_ids));
END
$$;
