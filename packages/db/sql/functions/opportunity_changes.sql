-- Changes of opportunities. A change has the form described in accounts_and_contacts.sql. It may also contain `account_domain`, `primary_email`
-- and `additional_emails`, whose accounts and contacts exist. `contact_limit` is the maximum number of additional contacts.

-- The natural key of an opportunity as one text, for comparisons.
CREATE OR REPLACE FUNCTION opportunity_key(p_row opportunities) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN concat_ws(E'\n', p_row.pipeline_id, p_row.account_key, p_row.name);
END
$$;

-- The id of the opportunity with the natural key of p_row, or null.
CREATE OR REPLACE FUNCTION opportunity_id_of_key(p_row opportunities) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT o.id INTO v_id FROM opportunities o
    WHERE o.organization_id = p_row.organization_id AND o.pipeline_id = p_row.pipeline_id
      AND o.account_key = p_row.account_key AND o.name = p_row.name;
  RETURN v_id;
END
$$;

-- The opportunities with these ids, in id order. Looks up each id separately: for an array of ids, PostgreSQL may read every opportunity
-- of the organization.
CREATE OR REPLACE FUNCTION opportunities_of_ids(p_organization_id uuid, p_ids uuid[]) RETURNS SETOF opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    RETURN QUERY SELECT * FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id;
  END LOOP;
END
$$;

-- The opportunity with the values of a change applied: those that its request sends and those that the gateway computes from them.
CREATE OR REPLACE FUNCTION opportunity_with_values(p_row opportunities, p_change jsonb) RETURNS opportunities LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_row opportunities := jsonb_populate_record(p_row, coalesce(p_change->'set', '{}') || coalesce(p_change->'derived', '{}'));
BEGIN
  v_row.custom_fields := merge_patch(v_row.custom_fields, p_change->'custom_fields');
  v_row.normalized := merge_patch(v_row.normalized, p_change->'normalized');
  v_row.empty_slots := empty_slots_of(v_row);
  RETURN v_row;
END
$$;

-- The part of the natural key of an opportunity that says whose it is: the account's id, else the primary contact's id, else ''. Because it is an
-- id, a new email of the contact does not change it.
CREATE OR REPLACE FUNCTION account_key_of(p_account_id uuid, p_contact_id uuid) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(p_account_id::text, p_contact_id::text, '')
$$;

-- The opportunity with a change applied, except its stored record and the texts that it copies from other records. A change of the account
-- or of the primary contact sets account_key.
CREATE OR REPLACE FUNCTION changed_opportunity(p_row opportunities, p_change jsonb) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := opportunity_with_values(p_row, p_change);
BEGIN
  IF p_change ? 'account_domain' THEN
    v_row.account_id := find_account_id(v_row.organization_id, p_change->>'account_domain');
  END IF;
  IF p_change ? 'primary_email' THEN
    v_row.contact_id := find_contact_id(v_row.organization_id, p_change->>'primary_email');
  END IF;
  IF v_row.account_key IS NULL OR (v_row.account_id, v_row.contact_id) IS DISTINCT FROM (p_row.account_id, p_row.contact_id) THEN
    v_row.account_key := account_key_of(v_row.account_id, v_row.contact_id);
  END IF;
  RETURN v_row;
END
$$;

-- p_ids in their order, without duplicates, nulls and the primary contact. Duplicates occur because two emails may belong to one contact.
CREATE OR REPLACE FUNCTION distinct_contact_ids(p_ids uuid[], p_primary_id uuid) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT i.id FROM unnest(p_ids) WITH ORDINALITY AS i (id, position)
     WHERE i.id IS NOT NULL AND i.id IS DISTINCT FROM p_primary_id GROUP BY i.id ORDER BY min(i.position));
END
$$;

-- The additional contacts after a change. `additional_emails` replaces the old list. With `adds_contacts`, it is appended to the old
-- list, and a primary contact that is replaced becomes an additional one. The primary contact is never also an additional contact.
CREATE OR REPLACE FUNCTION wanted_contact_ids(p_old opportunities, p_new opportunities, p_linked uuid[], p_change jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := p_linked;
BEGIN
  IF p_change ? 'adds_contacts' THEN
    v_ids := v_ids || p_old.contact_id || find_contact_ids(p_old.organization_id, coalesce(p_change->'additional_emails', '[]'));
  ELSIF p_change ? 'additional_emails' THEN
    v_ids := find_contact_ids(p_old.organization_id, p_change->'additional_emails');
  END IF;
  RETURN distinct_contact_ids(v_ids, p_new.contact_id);
END
$$;

-- Links additional contacts to an opportunity. The order of p_contact_ids sets their positions, also for contacts that are already
-- linked.
CREATE OR REPLACE FUNCTION add_contact_links(p_organization_id uuid, p_opportunity_id uuid, p_contact_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_link record;
BEGIN
  FOR v_link IN SELECT c.id, c.position FROM unnest(p_contact_ids) WITH ORDINALITY AS c (id, position) ORDER BY c.id LOOP
    INSERT INTO opportunity_contacts AS l (organization_id, opportunity_id, contact_id, position)
      VALUES (p_organization_id, p_opportunity_id, v_link.id, v_link.position)
    ON CONFLICT (organization_id, opportunity_id, contact_id) DO UPDATE SET position = excluded.position
      WHERE l.position <> excluded.position;
  END LOOP;
END
$$;

-- Makes p_contact_ids the additional contacts of an opportunity, in this order.
CREATE OR REPLACE FUNCTION replace_contact_links(p_organization_id uuid, p_opportunity_id uuid, p_contact_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM opportunity_contacts l
    WHERE l.organization_id = p_organization_id AND l.opportunity_id = p_opportunity_id AND l.contact_id <> ALL (p_contact_ids);
  PERFORM add_contact_links(p_organization_id, p_opportunity_id, p_contact_ids);
END
$$;

-- Updates all columns of an opportunity that can change.
CREATE OR REPLACE FUNCTION update_opportunity_row(n opportunities) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE opportunities o SET
      (account_key, name, normalized_name, external_id, stage_id, stage_entered_at, stage_api_key_id, closed_at, account_id, contact_id, owner_id, amount, currency, close_date, next_action_date, next_step,
       account_domain, account_name_key, contact_email, contact_first_name_key, contact_last_name_key,
       record, custom_fields, normalized, search_text,
       text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, empty_slots, updated_at, version)
    = (n.account_key, n.name, n.normalized_name, n.external_id, n.stage_id, n.stage_entered_at, n.stage_api_key_id, n.closed_at, n.account_id, n.contact_id, n.owner_id, n.amount, n.currency, n.close_date, n.next_action_date, n.next_step,
       n.account_domain, n.account_name_key, n.contact_email, n.contact_first_name_key, n.contact_last_name_key,
       n.record, n.custom_fields, n.normalized, n.search_text,
       n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8, n.empty_slots, n.updated_at, n.version)
    WHERE o.organization_id = n.organization_id AND o.id = n.id;
END
$$;

-- The field of a change that gives an opportunity its new natural key, for the refusal `key_taken`.
CREATE OR REPLACE FUNCTION changed_key_field(p_old opportunities, p_new opportunities, p_change jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN p_new.name <> p_old.name THEN 'name' WHEN p_change ? 'account_domain' THEN 'account_domain' ELSE 'primary_email' END;
END
$$;

-- Stores a changed opportunity with its copies of other records. Its additional contacts were p_linked and become p_wanted. Returns the event.
CREATE OR REPLACE FUNCTION store_opportunity(p_old opportunities, p_new opportunities, p_linked uuid[], p_wanted uuid[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new opportunities := copy_related_texts(p_new);
BEGIN
  IF p_wanted <> p_linked THEN
    PERFORM replace_contact_links(p_old.organization_id, p_old.id, p_wanted);
  END IF;
  v_new.record := opportunity_record(v_new, p_wanted);
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  IF v_new.stage_id IS DISTINCT FROM p_old.stage_id THEN
    v_new := move_to_stage(p_old, v_new);
  END IF;
  PERFORM update_opportunity_row(v_new);
  RETURN change_event('opportunity', opportunity_event_record(p_old, p_linked), opportunity_event_record(v_new, p_wanted));
END
$$;

-- Applies a change to an opportunity, the result of read_opportunity. Returns whether anything changed.
CREATE OR REPLACE FUNCTION change_opportunity(p_old opportunities, p_change jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new opportunities := changed_opportunity(p_old, p_change);
  v_linked uuid[] := additional_contact_ids(p_old.organization_id, p_old.id);
  v_wanted uuid[] := wanted_contact_ids(p_old, v_new, v_linked, p_change);
BEGIN
  PERFORM check_version(p_old.version, p_change);
  IF p_change ? 'if_stored' THEN
    PERFORM check_if_stored(to_jsonb(p_old), p_change);
  END IF;
  IF v_new IS NOT DISTINCT FROM p_old AND v_wanted = v_linked THEN
    RETURN false;
  END IF;
  PERFORM begin_change('shared');
  IF cardinality(v_wanted) > (p_change->>'contact_limit')::int THEN
    PERFORM refuse('too_many_contacts', jsonb_build_object('limit', p_change->'contact_limit'));
  END IF;
  IF opportunity_key(v_new) <> opportunity_key(p_old) THEN
    PERFORM check_key_is_free('opportunity', changed_key_field(p_old, v_new, p_change), nullif(opportunity_id_of_key(v_new), p_old.id));
  END IF;
  IF v_new.external_id IS DISTINCT FROM p_old.external_id THEN
    PERFORM check_key_is_free('opportunity', 'external_id', opportunity_id_of_external_id(v_new.organization_id, v_new.external_id));
  END IF;
  IF v_new.stage_id IS DISTINCT FROM p_old.stage_id THEN
    PERFORM check_stage_is_active(v_new);
  END IF;
  PERFORM collect_events(ARRAY[store_opportunity(p_old, v_new, v_linked, v_wanted)]);
  RETURN true;
END
$$;
