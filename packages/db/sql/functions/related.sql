-- The accounts and contacts that requests only refer to, by domain or email. They are created if they are missing.

-- Creates the missing accounts and contacts of the items of a call, each kind with one statement. p_inputs: the inputs of the items, of
-- which it reads `accounts`, [{domain, name, normalized_name, is_freemail, is_requested}], and `contacts`, [{email, account_domain}].
-- Returns the events; their `position` is the number of the first item that needs the record, plus p_before.
--
-- `is_requested` is true if the request names the domain, or if it creates a contact with an email of the domain or gives a contact such an
-- email. The other domains come from emails of contacts that the request refers to. Their accounts are created only if such a contact is
-- missing too.
CREATE OR REPLACE FUNCTION ensure_related(p_organization_id uuid, p_inputs jsonb[], p_before int DEFAULT 0) RETURNS events[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_emails text[];
  v_domains text[];
  v_items bigint[];
  v_seed record;
  v_account accounts;
  v_accounts accounts[] := '{}';
  v_contact contacts;
  v_contacts contacts[] := '{}';
  v_events events[] := '{}';
  v_inserted uuid[];
BEGIN
  SELECT array_agg(s.email ORDER BY s.email), array_agg(s.account_domain ORDER BY s.email), array_agg(s.n ORDER BY s.email) INTO v_emails, v_domains, v_items
    FROM (SELECT c.email COLLATE "C" AS email, min(c.account_domain) AS account_domain, min(i.n) AS n
            FROM unnest(p_inputs) WITH ORDINALITY i (input, n), jsonb_to_recordset(i.input->'contacts') AS c (email text, account_domain text)
           GROUP BY 1) s
   WHERE (SELECT r.id FROM contacts r WHERE r.organization_id = p_organization_id AND r.email = s.email) IS NULL
     AND (SELECT l.contact_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = s.email) IS NULL;
  FOR v_seed IN
    SELECT s.* FROM (
        SELECT a.domain COLLATE "C" AS domain, min(a.name) AS name, min(a.normalized_name) AS normalized_name, bool_or(a.is_freemail) AS is_freemail, min(i.n) AS n
          FROM unnest(p_inputs) WITH ORDINALITY i (input, n),
               jsonb_to_recordset(i.input->'accounts') AS a (domain text, name text, normalized_name text, is_freemail boolean, is_requested boolean)
         WHERE a.is_requested OR (a.domain, i.n) IN (SELECT u.domain, u.n FROM unnest(v_domains, v_items) u (domain, n))
         GROUP BY 1) s
     WHERE (SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = s.domain) IS NULL
       AND (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = s.domain) IS NULL
     ORDER BY s.domain
  LOOP
    v_account := NULL;
    v_account.organization_id := p_organization_id;
    v_account.id := new_id(v_now);
    v_account.domain := v_seed.domain;
    v_account.name := v_seed.name;
    v_account.normalized_name := v_seed.normalized_name;
    v_account.is_freemail := v_seed.is_freemail;
    v_account.search_text := concat_ws(' ', v_seed.normalized_name, v_seed.domain);
    v_account.custom_fields := '{}';
    v_account.normalized := '{}';
    v_account.created_at := v_now;
    v_account.updated_at := v_now;
    v_account.version := 1;
    v_account.empty_slots := 65535;
    v_accounts := v_accounts || v_account;
    v_events := v_events || created_event(v_seed.n + p_before, 'account', account_event_record(v_account, '[]'));
  END LOOP;
  IF cardinality(v_accounts) > 0 THEN
    PERFORM begin_change('shared');
    v_inserted := insert_accounts(v_accounts);
    IF cardinality(v_inserted) < cardinality(v_accounts) THEN
      v_events := inserted_events(v_events, 'account', v_inserted);
    END IF;
  END IF;
  IF v_emails IS NULL THEN
    RETURN v_events;
  END IF;
  PERFORM begin_change('shared');
  FOR v_seed IN
    SELECT u.email, u.n, coalesce(
        (SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = u.domain),
        (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = u.domain)) AS account_id
      FROM unnest(v_emails, v_domains, v_items) u (email, domain, n)
  LOOP
    v_contact := NULL;
    v_contact.organization_id := p_organization_id;
    v_contact.id := new_id(v_now);
    v_contact.email := v_seed.email;
    v_contact.account_id := v_seed.account_id;
    v_contact.search_text := v_seed.email;
    v_contact.custom_fields := '{}';
    v_contact.normalized := '{}';
    v_contact.created_at := v_now;
    v_contact.updated_at := v_now;
    v_contact.version := 1;
    v_contact.empty_slots := 65535;
    v_contacts := v_contacts || v_contact;
    v_events := v_events || created_event(v_seed.n + p_before, 'contact', contact_event_record(v_contact, '[]'));
  END LOOP;
  v_inserted := insert_contacts(v_contacts);
  IF cardinality(v_inserted) < cardinality(v_contacts) THEN
    v_events := inserted_events(v_events, 'contact', v_inserted);
  END IF;
  RETURN v_events;
END
$$;
