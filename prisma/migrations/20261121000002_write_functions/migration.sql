-- The write path: one call of one function is one round trip and one transaction.
--
-- * Every function is VOLATILE: under READ COMMITTED each of its statements then sees what others committed meanwhile. That is
--   what makes "look, insert unless there, look again" safe.
-- * Looking comes first and nothing is written when nothing changes: such a call assigns no transaction id.
-- * Rows are inserted and locked in the order accounts, contacts, opportunities, links, and within a table by key, so that
--   parallel calls wait for each other and never in a circle.
-- * serialization_failure (40001) is raised where a record vanished between two statements: the caller runs the call again.

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
CREATE FUNCTION opportunity_record(o opportunities, p_additional uuid[]) RETURNS text LANGUAGE sql VOLATILE AS $$
  SELECT '{"id":"' || o.id
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
      || '}'
$$;

-- The ids of an opportunity's additional contacts, in order.
CREATE FUNCTION additional_contact_ids(p_organization_id uuid, p_opportunity_id uuid) RETURNS uuid[] LANGUAGE sql VOLATILE AS $$
  SELECT coalesce(array_agg(l.contact_id ORDER BY l.position), '{}')
    FROM opportunity_contacts l
   WHERE l.organization_id = p_organization_id AND l.opportunity_id = p_opportunity_id
$$;

-- Builds the stored records of some opportunities anew. Locks them first, by id, so that what it reads is the last word.
CREATE FUNCTION refresh_opportunity_records(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM opportunities o
    WHERE o.organization_id = p_organization_id AND o.id = ANY (p_opportunity_ids) ORDER BY o.id FOR UPDATE;
  UPDATE opportunities o SET record = opportunity_record(o, additional_contact_ids(o.organization_id, o.id))
    WHERE o.organization_id = p_organization_id AND o.id = ANY (p_opportunity_ids);
END
$$;

-- Makes the accounts that are not there yet. p_accounts: [{domain, name, name_fold, is_freemail, search_text}].
CREATE FUNCTION ensure_accounts(p_organization_id uuid, p_accounts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  INSERT INTO accounts (organization_id, id, domain, name, name_fold, is_freemail, search_text, created_at, updated_at)
  SELECT p_organization_id, new_id(v_now), a.domain, a.name, a.name_fold, a.is_freemail, a.search_text, v_now, v_now
    FROM jsonb_to_recordset(p_accounts) AS a (domain text, name text, name_fold text, is_freemail boolean, search_text text)
   WHERE NOT EXISTS (SELECT FROM accounts x WHERE x.organization_id = p_organization_id AND x.domain = a.domain)
   ORDER BY a.domain COLLATE "C"
  ON CONFLICT (organization_id, domain) DO NOTHING;
END
$$;

-- Makes the contacts that are not there yet; their accounts are there. p_contacts: [{email, account_domain, search_text}].
CREATE FUNCTION ensure_contacts(p_organization_id uuid, p_contacts jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  INSERT INTO contacts (organization_id, id, email, account_id, search_text, created_at, updated_at)
  SELECT p_organization_id, new_id(v_now), c.email, a.id, c.search_text, v_now, v_now
    FROM jsonb_to_recordset(p_contacts) AS c (email text, account_domain text, search_text text)
    LEFT JOIN accounts a ON a.organization_id = p_organization_id AND a.domain = c.account_domain
   WHERE NOT EXISTS (SELECT FROM contacts x WHERE x.organization_id = p_organization_id AND x.email = c.email)
   ORDER BY c.email COLLATE "C"
  ON CONFLICT (organization_id, email) DO NOTHING;
END
$$;

-- The ids of the contacts with these emails, in their order.
CREATE FUNCTION contact_ids(p_organization_id uuid, p_emails jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[];
BEGIN
  SELECT coalesce(array_agg(c.id ORDER BY e.position), '{}') INTO v_ids
    FROM jsonb_array_elements_text(p_emails) WITH ORDINALITY AS e (email, position)
    JOIN contacts c ON c.organization_id = p_organization_id AND c.email = e.email;
  IF cardinality(v_ids) < jsonb_array_length(p_emails) THEN
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
  SELECT coalesce(array_agg(a.id ORDER BY d.position), '{}') INTO v_ids
    FROM jsonb_array_elements_text(p_domains) WITH ORDINALITY AS d (domain, position)
    JOIN accounts a ON a.organization_id = p_organization_id AND a.domain = d.domain;
  IF cardinality(v_ids) < jsonb_array_length(p_domains) THEN
    RAISE EXCEPTION 'an account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN v_ids;
END
$$;

-- p_row: columns of accounts as JSON. Answers the account of that domain, made or found.
CREATE FUNCTION create_account(p_organization_id uuid, p_row jsonb, OUT id uuid, OUT domain text, OUT name text, OUT record_status text, OUT stored jsonb)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  v_row accounts;
BEGIN
  SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = p_row->>'domain';
  IF NOT FOUND THEN
    v_row := jsonb_populate_record(NULL::accounts, p_row);
    v_row.organization_id := p_organization_id;
    v_row.created_at := write_time();
    v_row.updated_at := v_row.created_at;
    v_row.id := new_id(v_row.created_at);
    v_row.version := 1;
    INSERT INTO accounts SELECT v_row.* ON CONFLICT (organization_id, domain) DO NOTHING;
    IF FOUND THEN
      record_status := 'created';
    ELSE
      SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = p_row->>'domain';
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the account was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
  END IF;
  id := v_row.id;
  domain := v_row.domain;
  name := v_row.name;
  IF record_status IS NULL THEN
    record_status := 'matched';
    stored := to_jsonb(v_row) - 'record';
  END IF;
END
$$;

-- p_row: columns of contacts as JSON, and account_domain. Answers the contact of that email, made or found; a found one has
-- its empty names filled and none overwritten.
CREATE FUNCTION create_contact(
  p_organization_id uuid, p_accounts jsonb, p_row jsonb,
  OUT id uuid, OUT email text, OUT first_name text, OUT last_name text, OUT record_status text, OUT stored jsonb)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  v_row contacts;
  v_account_ids uuid[];
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_accounts);
  SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = p_row->>'email';
  IF NOT FOUND THEN
    v_row := jsonb_populate_record(NULL::contacts, p_row);
    v_row.organization_id := p_organization_id;
    IF p_row->>'account_domain' IS NOT NULL THEN
      v_account_ids := account_ids(p_organization_id, jsonb_build_array(p_row->'account_domain'));
      v_row.account_id := v_account_ids[1];
    END IF;
    v_row.created_at := write_time();
    v_row.updated_at := v_row.created_at;
    v_row.id := new_id(v_row.created_at);
    v_row.version := 1;
    INSERT INTO contacts SELECT v_row.* ON CONFLICT (organization_id, email) DO NOTHING;
    IF FOUND THEN
      record_status := 'created';
    ELSE
      SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = p_row->>'email';
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
  END IF;
  IF record_status IS NULL THEN
    record_status := 'matched';
    IF (v_row.first_name IS NULL AND p_row->>'first_name' IS NOT NULL)
       OR (v_row.last_name IS NULL AND p_row->>'last_name' IS NOT NULL) THEN
      record_status := 'updated';
      SELECT * INTO v_row FROM fill_contact_names(p_organization_id, v_row.id, p_row);
    END IF;
    stored := to_jsonb(v_row);
  END IF;
  id := v_row.id;
  email := v_row.email;
  first_name := v_row.first_name;
  last_name := v_row.last_name;
END
$$;

-- Fills a contact's empty names from p_row and brings the opportunities that show them up to date.
CREATE FUNCTION fill_contact_names(p_organization_id uuid, p_contact_id uuid, p_row jsonb) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts;
  v_first_fold text;
  v_last_fold text;
BEGIN
  SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_contact_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the contact was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  v_first_fold := CASE WHEN v_row.first_name IS NULL THEN p_row->'folds'->>'first_name' ELSE v_row.folds->>'first_name' END;
  v_last_fold := CASE WHEN v_row.last_name IS NULL THEN p_row->'folds'->>'last_name' ELSE v_row.folds->>'last_name' END;
  UPDATE contacts c SET
      first_name = coalesce(c.first_name, p_row->>'first_name'),
      last_name = coalesce(c.last_name, p_row->>'last_name'),
      name_fold = nullif(concat_ws(' ', v_first_fold, v_last_fold), ''),
      search_text = concat_ws(' ', v_first_fold, v_last_fold, c.email),
      folds = c.folds || jsonb_strip_nulls(jsonb_build_object('first_name', v_first_fold, 'last_name', v_last_fold)),
      updated_at = greatest(write_time(), c.updated_at),
      version = c.version + 1
    WHERE c.organization_id = p_organization_id AND c.id = p_contact_id
    RETURNING * INTO v_row;
  PERFORM refresh_opportunity_records(p_organization_id, ARRAY(
    SELECT l.opportunity_id FROM opportunity_contacts l
     WHERE l.organization_id = p_organization_id AND l.contact_id = p_contact_id));
  RETURN v_row;
END
$$;

-- p_input: {accounts, contacts (as ensure_… take them), account_domain, primary_email, additional_emails (without the primary),
-- row: columns of opportunities}. Answers the opportunity of that natural key, made or found; a found one has its contacts
-- brought up to date and everything else kept.
CREATE FUNCTION create_opportunity(
  p_organization_id uuid, p_input jsonb,
  OUT id uuid, OUT name text, OUT amount text, OUT record_status text, OUT stored jsonb)
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  v_row opportunities;
  v_found opportunities;
  v_contact_id uuid;
  v_additional uuid[];
  v_account_ids uuid[];
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
  PERFORM ensure_contacts(p_organization_id, p_input->'contacts');
  v_row := jsonb_populate_record(NULL::opportunities, p_input->'row');
  v_row.organization_id := p_organization_id;
  IF p_input->>'account_domain' IS NOT NULL THEN
    v_account_ids := account_ids(p_organization_id, jsonb_build_array(p_input->'account_domain'));
    v_row.account_id := v_account_ids[1];
  END IF;
  v_row.account_key := coalesce(v_row.account_id::text, p_input->>'primary_email', '');
  v_additional := contact_ids(p_organization_id, p_input->'additional_emails');
  IF p_input->>'primary_email' IS NOT NULL THEN
    SELECT c.id INTO v_contact_id FROM contacts c
      WHERE c.organization_id = p_organization_id AND c.email = p_input->>'primary_email';
  END IF;

  SELECT * INTO v_found FROM opportunities o
    WHERE o.organization_id = p_organization_id AND o.pipeline_id = v_row.pipeline_id
      AND o.account_key = v_row.account_key AND o.name = v_row.name;
  IF NOT FOUND THEN
    v_row := insert_opportunity(v_row, v_contact_id, v_additional);
    IF v_row.id IS NOT NULL THEN
      record_status := 'created';
    ELSE
      SELECT * INTO v_found FROM opportunities o
        WHERE o.organization_id = p_organization_id AND o.pipeline_id = v_row.pipeline_id
          AND o.account_key = v_row.account_key AND o.name = v_row.name;
      IF NOT FOUND THEN
        RAISE EXCEPTION 'the opportunity was deleted meanwhile' USING ERRCODE = 'serialization_failure';
      END IF;
    END IF;
  END IF;
  IF record_status IS NULL THEN
    record_status := merge_opportunity_contacts(v_found, v_contact_id, v_additional);
    v_row := v_found;
    stored := to_jsonb(v_row) - 'record';
  END IF;
  id := v_row.id;
  name := v_row.name;
  amount := trim_scale(v_row.amount)::text;
END
$$;

-- Inserts an opportunity and its links; a null id in the answer says that another call was first.
CREATE FUNCTION insert_opportunity(p_row opportunities, p_contact_id uuid, p_additional uuid[]) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
  v_account record;
BEGIN
  -- The names that this row will repeat must not change until it is visible to whoever changes them.
  SELECT a.name_fold, a.domain INTO v_account FROM accounts a
    WHERE a.organization_id = v_row.organization_id AND a.id = v_row.account_id FOR SHARE;
  PERFORM 1 FROM contacts c
    WHERE c.organization_id = v_row.organization_id AND c.id = ANY (p_additional) ORDER BY c.id FOR SHARE;
  v_row.contact_id := p_contact_id;
  v_row.search_text := concat_ws(' ', v_row.name_fold, v_account.name_fold, v_account.domain);
  v_row.created_at := write_time();
  v_row.updated_at := v_row.created_at;
  v_row.id := new_id(v_row.created_at);
  v_row.version := 1;
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

-- The additional contacts of a repeat: those linked, then the primary contact that was replaced, then those sent; each once, and
-- never the primary contact.
CREATE FUNCTION merged_contact_ids(p_linked uuid[], p_replaced uuid, p_additional uuid[], p_primary uuid) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(array_agg(w.id ORDER BY w.position), '{}') FROM (
    SELECT l.id, min(l.position) AS position
      FROM unnest(p_linked || p_replaced || p_additional) WITH ORDINALITY AS l (id, position)
     WHERE l.id IS NOT NULL AND l.id IS DISTINCT FROM p_primary GROUP BY l.id) w
$$;

-- A repeat's contacts: a primary contact that is sent replaces the old one, which becomes an additional contact; additional
-- contacts are added, none removed; the primary contact is never also an additional one. Answers matched or updated.
CREATE FUNCTION merge_opportunity_contacts(p_found opportunities, p_contact_id uuid, p_additional uuid[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_organization_id uuid := p_found.organization_id;
  v_primary uuid := coalesce(p_contact_id, p_found.contact_id);
  v_linked uuid[] := additional_contact_ids(v_organization_id, p_found.id);
  v_wanted uuid[] := merged_contact_ids(v_linked, p_found.contact_id, p_additional, v_primary);
  v_row opportunities;
BEGIN
  IF v_primary IS NOT DISTINCT FROM p_found.contact_id AND v_wanted = v_linked THEN
    RETURN 'matched';
  END IF;

  -- The names of contacts that are about to be linked must not change until whoever changes them can see the link.
  PERFORM 1 FROM contacts c WHERE c.organization_id = v_organization_id AND c.id = ANY (v_wanted) ORDER BY c.id FOR SHARE;
  SELECT * INTO v_row FROM opportunities o WHERE o.organization_id = v_organization_id AND o.id = p_found.id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the opportunity was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
  -- Another call may have been first: this one goes on from what that one left, rather than fail and start again, so that
  -- any number of calls for one opportunity succeed. Only a primary contact set meanwhile is still to be locked.
  IF v_row.contact_id IS DISTINCT FROM p_found.contact_id THEN
    PERFORM 1 FROM contacts c WHERE c.organization_id = v_organization_id AND c.id = v_row.contact_id FOR SHARE;
  END IF;
  v_primary := coalesce(p_contact_id, v_row.contact_id);
  v_linked := additional_contact_ids(v_organization_id, p_found.id);
  v_wanted := merged_contact_ids(v_linked, v_row.contact_id, p_additional, v_primary);
  IF v_primary IS NOT DISTINCT FROM v_row.contact_id AND v_wanted = v_linked THEN
    RETURN 'matched';
  END IF;
  IF cardinality(v_wanted) > 100 THEN
    RAISE EXCEPTION 'too many additional contacts' USING ERRCODE = 'CRM01';
  END IF;

  DELETE FROM opportunity_contacts l
    WHERE l.organization_id = v_organization_id AND l.opportunity_id = p_found.id AND l.contact_id = v_primary;
  INSERT INTO opportunity_contacts (organization_id, opportunity_id, contact_id, position)
    SELECT v_organization_id, p_found.id, w.id, last.position + w.ordinal
      FROM unnest(v_wanted) WITH ORDINALITY AS w (id, ordinal),
           (SELECT coalesce(max(l.position), 0) AS position FROM opportunity_contacts l
             WHERE l.organization_id = v_organization_id AND l.opportunity_id = p_found.id) AS last
     WHERE w.id <> ALL (v_linked)
     ORDER BY w.id;
  v_row.contact_id := v_primary;
  UPDATE opportunities o SET
      contact_id = v_primary,
      record = opportunity_record(v_row, v_wanted),
      updated_at = greatest(write_time(), o.updated_at),
      version = o.version + 1
    WHERE o.organization_id = v_organization_id AND o.id = p_found.id;
  RETURN 'updated';
END
$$;

-- p_input: {accounts, contacts, account_domains, contact_emails, title, content}.
CREATE FUNCTION create_note(p_organization_id uuid, p_input jsonb, OUT id uuid) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
BEGIN
  PERFORM ensure_accounts(p_organization_id, p_input->'accounts');
  PERFORM ensure_contacts(p_organization_id, p_input->'contacts');
  v_now := write_time();
  id := new_id(v_now);
  INSERT INTO notes (organization_id, id, title, content, created_at)
    VALUES (p_organization_id, id, p_input->>'title', p_input->>'content', v_now);
  INSERT INTO note_accounts (organization_id, note_id, account_id)
    SELECT p_organization_id, create_note.id, a FROM unnest(account_ids(p_organization_id, p_input->'account_domains')) a ORDER BY a;
  INSERT INTO note_contacts (organization_id, note_id, contact_id)
    SELECT p_organization_id, create_note.id, c FROM unnest(contact_ids(p_organization_id, p_input->'contact_emails')) c ORDER BY c;
END
$$;
