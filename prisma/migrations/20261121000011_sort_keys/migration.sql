-- Opportunities repeat the texts of their account and primary contact that they are sorted by, so that each has an index of the
-- opportunities' own. Keys are as everywhere: natural keys whole, folds to their first 200 code points, ordered by code point.
ALTER TABLE opportunities
  ADD COLUMN account_domain text COLLATE "C",
  ADD COLUMN account_name_key text COLLATE "C",
  ADD COLUMN contact_email text COLLATE "C",
  ADD COLUMN contact_first_name_key text COLLATE "C",
  ADD COLUMN contact_last_name_key text COLLATE "C";

UPDATE opportunities o
   SET (account_domain, account_name_key) = (SELECT a.domain, left(a.name_fold, 200) FROM accounts a
         WHERE a.organization_id = o.organization_id AND a.id = o.account_id),
       (contact_email, contact_first_name_key, contact_last_name_key) = (
         SELECT c.email, left(c.folds->>'first_name', 200), left(c.folds->>'last_name', 200) FROM contacts c
          WHERE c.organization_id = o.organization_id AND c.id = o.contact_id);

CREATE INDEX opportunities_account_domain_idx ON opportunities (organization_id, pipeline_id, account_domain, created_at, id);
CREATE INDEX opportunities_account_name_idx ON opportunities (organization_id, pipeline_id, account_name_key, created_at, id);
CREATE INDEX opportunities_contact_email_idx ON opportunities (organization_id, pipeline_id, contact_email, created_at, id);
CREATE INDEX opportunities_contact_first_name_idx ON opportunities (organization_id, pipeline_id, contact_first_name_key, created_at, id);
CREATE INDEX opportunities_contact_last_name_idx ON opportunities (organization_id, pipeline_id, contact_last_name_key, created_at, id);

-- The short texts that accounts and contacts are sorted by.
CREATE INDEX accounts_industry_idx ON accounts (organization_id, left((folds->>'industry') COLLATE "C", 200), created_at, id);
CREATE INDEX accounts_website_idx ON accounts (organization_id, left((folds->>'website') COLLATE "C", 200), created_at, id);
CREATE INDEX accounts_employee_range_idx ON accounts (organization_id, left((folds->>'employee_range') COLLATE "C", 200), created_at, id);
CREATE INDEX accounts_is_freemail_idx ON accounts (organization_id, is_freemail, created_at, id);
CREATE INDEX contacts_first_name_idx ON contacts (organization_id, left((folds->>'first_name') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_last_name_idx ON contacts (organization_id, left((folds->>'last_name') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_job_title_idx ON contacts (organization_id, left((folds->>'job_title') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_phone_idx ON contacts (organization_id, left((folds->>'phone') COLLATE "C", 200), created_at, id);

-- What an opportunity repeats of its account and primary contact: what `q` looks through, and what it is sorted by.
CREATE FUNCTION with_related_texts(p_row opportunities) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
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

DROP FUNCTION opportunity_search_text(opportunities);

-- Inserts an opportunity and its links; a null id in the answer says that another call was first.
CREATE OR REPLACE FUNCTION insert_opportunity(p_row opportunities, p_additional uuid[]) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
BEGIN
  PERFORM hold_names(v_row.organization_id, ARRAY[v_row.account_id, v_row.contact_id] || p_additional, false);
  v_row := with_related_texts(v_row);
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

-- A change may also carry `account_domain`, `primary_email` and `additional_emails`; those accounts and contacts are there.
CREATE OR REPLACE FUNCTION change_opportunity(p_organization_id uuid, p_id uuid, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
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
       greatest(write_time(), o.updated_at), o.version + 1)
    WHERE o.organization_id = p_organization_id AND o.id = p_id;
  RETURN true;
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
