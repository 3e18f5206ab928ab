-- The write path: one call of `write` is one round trip and one transaction.
--
-- * Every function is VOLATILE: under READ COMMITTED each of its statements then sees what others committed meanwhile. That is
--   what makes "look, insert unless there, look again" safe.
-- * Looking comes first and nothing is written or locked when nothing changes: such a call assigns no transaction id.
-- * Parallel calls wait for each other and never in a circle: new accounts by domain, new contacts by email, then names
--   (`hold_names`), then existing opportunities by id, then existing accounts and contacts by id.
-- * All but the simplest are PL/pgSQL, which keeps its plans for the session; SQL functions are planned anew in every call.
-- * Keys out of JSON are looked up one by one, as scalar subqueries: the planner takes every JSON array for a hundred elements and
--   would join by reading a whole table of middling size.
-- * serialization_failure (40001) is raised where a record vanished between two statements: the caller runs the call again.
-- * What is refused ends in `refuse`, which undoes all of the call (or of the item of a bulk call).
--
-- A change is {set, derived, custom_fields, folds}: columns that the caller names, columns that follow from them, and what to
-- lay over the two maps. Absent keeps, null clears. A new record is a change to a blank one.

-- Ends the call with an answer for the caller: a code of the error catalogue and what goes with it (message, errors, extra).
CREATE FUNCTION refuse(p_code text, p_details jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'CRM01', MESSAGE = p_code, DETAIL = p_details::text;
END
$$;

-- p_values with p_patch laid over it: keys that are null in p_patch are taken out, those that are absent stay.
CREATE FUNCTION patched(p_values jsonb, p_patch jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_patch IS NULL OR p_patch = '{}' THEN
    RETURN p_values;
  END IF;
  RETURN (p_values || p_patch) - ARRAY(SELECT p.key FROM jsonb_each(p_patch) p WHERE p.value = 'null');
END
$$;

-- The keys of p_values that are in p_keys, with their values.
CREATE FUNCTION only_keys(p_values jsonb, p_keys text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') FROM jsonb_each(p_values) v WHERE v.key = ANY (p_keys));
END
$$;

-- What a create that found its record did not apply: the columns that were sent with another value, and `custom__slug`s.
CREATE FUNCTION kept_values(p_stored jsonb, p_change jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(k.name), '[]') FROM (
    SELECT s.key AS name FROM jsonb_each(p_change->'set') s WHERE p_stored->s.key IS DISTINCT FROM s.value
    UNION ALL
    SELECT 'custom__' || c.key FROM jsonb_each(p_change->'custom_fields') c
     WHERE p_stored->'custom_fields'->c.key IS DISTINCT FROM c.value) k);
END
$$;

-- A UUIDv7 of the given instant, so that ids grow with created_at.
CREATE FUNCTION new_id(p_at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM p_at) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- The instant of a write, at the precision that is stored.
CREATE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', clock_timestamp())
$$;

-- The record of an opportunity as default lists show it. `p_additional` are the ids of its additional contacts, in order.
CREATE FUNCTION opportunity_record(o opportunities, p_additional uuid[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
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

-- The ids of an opportunity's additional contacts, in order.
CREATE FUNCTION additional_contact_ids(p_organization_id uuid, p_opportunity_id uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(l.contact_id ORDER BY l.position), '{}')
    FROM opportunity_contacts l
   WHERE l.organization_id = p_organization_id AND l.opportunity_id = p_opportunity_id);
END
$$;

-- Opportunities refer to an account and contacts and repeat their names. Whoever makes one refer to more holds the names of those
-- together with others who do; whoever changes names holds them alone, and so sees every opportunity that repeats them. Both last
-- to the end of the transaction. The names of an organization share 64 locks, so that no call needs many; nothing is written.
CREATE FUNCTION hold_names(p_organization_id uuid, p_owner_ids uuid[], p_alone boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint;
BEGIN
  FOR v_lock IN
    SELECT DISTINCT hashtextextended(p_organization_id::text, hashtext(i.id::text) & 63) FROM unnest(p_owner_ids) AS i (id)
     WHERE i.id IS NOT NULL ORDER BY 1
  LOOP
    IF p_alone THEN
      PERFORM pg_advisory_xact_lock(v_lock);
    ELSE
      PERFORM pg_advisory_xact_lock_shared(v_lock);
    END IF;
  END LOOP;
END
$$;

-- Locks some opportunities against all other changes, in the order that every call keeps.
CREATE FUNCTION lock_opportunities(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM opportunities o
    WHERE o.organization_id = p_organization_id AND o.id = ANY (p_opportunity_ids) ORDER BY o.id FOR NO KEY UPDATE;
END
$$;

-- Builds the stored records of some opportunities anew. Locks them first, so that what it reads is the last word.
CREATE FUNCTION refresh_opportunity_records(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM lock_opportunities(p_organization_id, p_opportunity_ids);
  UPDATE opportunities o SET record = opportunity_record(o, additional_contact_ids(o.organization_id, o.id))
    WHERE o.organization_id = p_organization_id AND o.id = ANY (p_opportunity_ids);
END
$$;

-- Makes the accounts that are not there yet and are named, or wanted by a contact that is not there yet either.
-- p_accounts: [{domain, name, name_fold, is_freemail, is_named}], p_contacts as ensure_contacts takes them.
CREATE FUNCTION ensure_accounts(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb DEFAULT '[]') RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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

-- Makes the contacts that are not there yet; not one whose account is gone meanwhile. p_contacts: [{email, account_domain}].
CREATE FUNCTION ensure_contacts(p_organization_id uuid, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
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
CREATE FUNCTION contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
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

-- The ids of the accounts with these domains, in their order.
CREATE FUNCTION account_ids(p_organization_id uuid, p_domains jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
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
CREATE FUNCTION account_id_of(p_organization_id uuid, p_domain text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE WHEN p_domain IS NOT NULL THEN (account_ids(p_organization_id, jsonb_build_array(p_domain)))[1] END;
END
$$;

-- The id of the contact with this email; null for none.
CREATE FUNCTION contact_id_of(p_organization_id uuid, p_email text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE WHEN p_email IS NOT NULL THEN (contact_ids(p_organization_id, jsonb_build_array(p_email)))[1] END;
END
$$;

-- The account with a change applied; what follows from other columns is brought in line.
CREATE FUNCTION changed_account(p_row accounts, p_change jsonb) RETURNS accounts LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row accounts := jsonb_populate_record(p_row, coalesce(p_change->'set', '{}') || coalesce(p_change->'derived', '{}'));
BEGIN
  v_row.custom_fields := patched(v_row.custom_fields, p_change->'custom_fields');
  v_row.folds := patched(v_row.folds, p_change->'folds');
  v_row.search_text := concat_ws(' ', v_row.name_fold, v_row.domain);
  RETURN v_row;
END
$$;

-- p_input: {defaults: columns of a new account, change, on_match}. Answers the account of that domain, made or found.
CREATE FUNCTION create_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
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

-- The contact with a change applied; what follows from other columns is brought in line. A change that only fills names leaves
-- those that are there.
CREATE FUNCTION changed_contact(p_row contacts, p_change jsonb) RETURNS contacts LANGUAGE plpgsql STABLE AS $$
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

-- p_input: {accounts, account_domain, change, on_match}. Answers the contact of that email, made or found; a found one that is
-- kept has its empty names filled.
CREATE FUNCTION create_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
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

-- The opportunity with a change applied, apart from search_text and record. A change may also name the account by
-- `account_domain` and the primary contact by `primary_email`; whichever it names gives the account's part of the natural key anew.
CREATE FUNCTION changed_opportunity(p_row opportunities, p_change jsonb) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
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
    v_row.account_key := coalesce(v_row.account_id::text, (
      SELECT c.email FROM contacts c WHERE c.organization_id = v_row.organization_id AND c.id = v_row.contact_id), '');
  END IF;
  RETURN v_row;
END
$$;

-- p_input: {accounts, contacts (as ensure_… take them), account_domain, defaults: columns of a new opportunity, change (with
-- primary_email and additional_emails where they were sent), on_match}. Answers the opportunity of that natural key, made or
-- found; a found one that is kept has its contacts brought up to date.
CREATE FUNCTION create_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_row opportunities;
  v_id uuid;
  v_status text := 'matched';
  v_kept jsonb := '[]';
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_input->'accounts', p_input->'contacts');
  PERFORM ensure_contacts(p_organization_id, p_input->'contacts');
  v_row := jsonb_populate_record(NULL::opportunities, '{"custom_fields": {}, "folds": {}, "version": 1}' || (p_input->'defaults'));
  v_row.organization_id := p_organization_id;
  v_row.account_id := account_id_of(p_organization_id, p_input->>'account_domain');
  v_row := changed_opportunity(v_row, v_change);
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
    IF change_opportunity(p_organization_id, v_id, CASE p_input->>'on_match'
         WHEN 'keep' THEN only_keys(v_change, '{primary_email,additional_emails}') || '{"adds_contacts": true}' ELSE v_change END) THEN
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

-- The id of the opportunity with the natural key of p_row, or null.
CREATE FUNCTION opportunity_id_of_key(p_row opportunities) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT o.id FROM opportunities o
           WHERE o.organization_id = p_row.organization_id AND o.pipeline_id = p_row.pipeline_id
             AND o.account_key = p_row.account_key AND o.name = p_row.name);
END
$$;

-- What `q` looks through.
CREATE FUNCTION opportunity_search_text(p_row opportunities) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN concat_ws(' ', p_row.name_fold, (
    SELECT concat_ws(' ', a.name_fold, a.domain) FROM accounts a
     WHERE a.organization_id = p_row.organization_id AND a.id = p_row.account_id));
END
$$;

-- Inserts an opportunity and its links; a null id in the answer says that another call was first.
CREATE FUNCTION insert_opportunity(p_row opportunities, p_additional uuid[]) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
BEGIN
  PERFORM hold_names(v_row.organization_id, ARRAY[v_row.account_id, v_row.contact_id] || p_additional, false);
  v_row.search_text := opportunity_search_text(v_row);
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  v_row.record := opportunity_record(v_row, p_additional);
  INSERT INTO opportunities SELECT v_row.* ON CONFLICT (organization_id, pipeline_id, account_key, name) DO NOTHING;
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

-- p_input: {accounts, contacts, account_domains, contact_emails, title, content}.
CREATE FUNCTION create_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_id uuid;
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_input->'accounts', p_input->'contacts');
  PERFORM ensure_contacts(p_organization_id, p_input->'contacts');
  v_now := write_time();
  v_id := new_id(v_now);
  INSERT INTO notes (organization_id, id, title, content, created_at)
    VALUES (p_organization_id, v_id, p_input->>'title', p_input->>'content', v_now);
  INSERT INTO note_accounts (organization_id, note_id, account_id)
    SELECT p_organization_id, v_id, a FROM unnest(account_ids(p_organization_id, p_input->'account_domains')) a ORDER BY a;
  INSERT INTO note_contacts (organization_id, note_id, contact_id)
    SELECT p_organization_id, v_id, c FROM unnest(contact_ids(p_organization_id, p_input->'contact_emails')) c ORDER BY c;
  RETURN jsonb_build_object('id', v_id, 'title', p_input->'title', 'content', p_input->'content');
END
$$;
