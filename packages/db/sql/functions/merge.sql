-- Merging two records: what accounts and contacts share. `kept` is the record that stays, `other` the one that is merged into it and
-- deleted. Its domain or email becomes an alias: from then on, a request with it refers to the kept record. A domain or email is never both
-- an alias and the key of an existing record.

-- The change that fills empty values of the kept record from the other one: custom fields, and the columns that its event record has. It
-- has the form described in accounts_and_contacts.sql. p_kept, p_other: the two rows. p_excluded: columns that stay empty.
CREATE OR REPLACE FUNCTION filling_change(p_organization_id uuid, p_object text, p_kept jsonb, p_other jsonb, p_event_record jsonb, p_excluded text[]) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_columns text[] := ARRAY(
    SELECT c FROM jsonb_object_keys(p_event_record) c
     WHERE coalesce(p_kept->>c, '') = '' AND coalesce(p_other->>c, '') <> '' AND c <> ALL (p_excluded));
  v_slugs text[] := ARRAY(
    SELECT v.key FROM jsonb_each(p_other->'custom_fields') v
     WHERE coalesce(p_kept->'custom_fields'->>v.key, '') IN ('', '[]') AND v.value::text NOT IN ('null', '""', '[]'));
  v_slots text[] := ARRAY(
    SELECT f.slot FROM custom_fields f
     WHERE f.organization_id = p_organization_id AND f.object_type = p_object AND f.slug = ANY (v_slugs) AND f.slot IS NOT NULL);
  v_normalized text[] := v_columns || ARRAY(SELECT 'custom__' || s FROM unnest(v_slugs) s);
BEGIN
  RETURN jsonb_build_object(
    'set', only_keys(p_other, v_columns),
    'derived', only_keys(p_other, v_slots || CASE WHEN 'name' = ANY (v_columns) THEN ARRAY['normalized_name'] ELSE '{}' END),
    'custom_fields', only_keys(p_other->'custom_fields', v_slugs),
    'normalized', only_keys(p_other->'normalized', v_normalized));
END
$$;

-- The names of the fields that a change fills: columns, and custom fields as `custom__<slug>`.
CREATE OR REPLACE FUNCTION filled_fields(p_change jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(f.name ORDER BY f.name COLLATE "C"), '[]') FROM (
    SELECT jsonb_object_keys(p_change->'set') AS name UNION ALL SELECT 'custom__' || jsonb_object_keys(p_change->'custom_fields')) f);
END
$$;

-- Turns the `updated` event of the kept record into its `merged` event. p_other_id: the record that was merged into it.
CREATE OR REPLACE FUNCTION merged_event(p_event text, p_other_id uuid) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_event jsonb := p_event;
BEGIN
  RETURN (v_event || jsonb_build_object('type', (v_event->>'object') || '.merged', 'merged_with', p_other_id))::text;
END
$$;

-- The opportunities in p_ids that would get the natural key of another opportunity if their account_key changed from p_old_key to
-- p_new_key: [{id, existing_id, pipeline_id, name}], oldest first.
CREATE OR REPLACE FUNCTION colliding_opportunities(p_organization_id uuid, p_ids uuid[], p_old_key text, p_new_key text) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities;
  v_existing_id uuid;
  v_collisions jsonb[] := '{}';
BEGIN
  FOR v_row IN SELECT * FROM opportunities_of_ids(p_organization_id, p_ids) LOOP
    CONTINUE WHEN v_row.account_key <> p_old_key;
    SELECT k.id INTO v_existing_id FROM opportunities k
      WHERE k.organization_id = p_organization_id AND k.pipeline_id = v_row.pipeline_id AND k.account_key = p_new_key AND k.name = v_row.name;
    CONTINUE WHEN NOT FOUND;
    v_collisions := v_collisions || jsonb_build_object('id', v_row.id, 'existing_id', v_existing_id, 'pipeline_id', v_row.pipeline_id, 'name', v_row.name);
  END LOOP;
  RETURN to_jsonb(v_collisions);
END
$$;

-- The ids of collisions. p_key: `id` or `existing_id`.
CREATE OR REPLACE FUNCTION collision_ids(p_collisions jsonb, p_key text) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT (c.value->>p_key)::uuid FROM jsonb_array_elements(p_collisions) c);
END
$$;

-- The kept one of two opportunities that are merged, with empty values filled from the other. Fills an amount only together with its
-- currency. p_from_id, p_to_id: the accounts or contacts that are merged; a contact p_from_id becomes p_to_id.
CREATE OR REPLACE FUNCTION merged_opportunity(p_kept opportunities, p_other opportunities, p_from_id uuid, p_to_id uuid) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_excluded text[] := '{amount,currency}';
  v_new opportunities;
BEGIN
  IF p_kept.amount IS NULL AND (p_kept.currency IS NULL OR p_kept.currency IS NOT DISTINCT FROM p_other.currency) THEN
    v_excluded := '{}';
  END IF;
  v_new := changed_opportunity(p_kept, filling_change(p_kept.organization_id, 'opportunity',
    to_jsonb(p_kept) - 'record', to_jsonb(p_other) - 'record', opportunity_event_record(p_other, '{}'), v_excluded));
  IF v_new.contact_id = p_from_id THEN
    v_new.contact_id := p_to_id;
  END IF;
  RETURN v_new;
END
$$;

-- The additional contacts of p_new, the result of merged_opportunity: those of both opportunities. Refuses more than p_contact_limit.
CREATE OR REPLACE FUNCTION merged_contact_ids(p_new opportunities, p_other opportunities, p_contact_limit int, p_from_id uuid, p_to_id uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_both uuid[] := additional_contact_ids(p_new.organization_id, p_new.id) || p_other.contact_id || additional_contact_ids(p_new.organization_id, p_other.id);
  v_ids uuid[] := distinct_contact_ids(array_replace(v_both, p_from_id, p_to_id), p_new.contact_id);
BEGIN
  IF cardinality(v_ids) > p_contact_limit THEN
    PERFORM refuse('merge_too_large', jsonb_build_object('object', 'additional_contacts', 'limit', p_contact_limit));
  END IF;
  RETURN v_ids;
END
$$;

-- Refuses collisions whose merged opportunity would have too many additional contacts. Only a dry run calls it. In a real merge,
-- `merge_opportunity` makes the same check (`merged_contact_ids`).
CREATE OR REPLACE FUNCTION check_merged_contacts(p_organization_id uuid, p_collisions jsonb, p_contact_limit int, p_from_id uuid, p_to_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_pair record;
  v_kept opportunities;
  v_other opportunities;
BEGIN
  FOR v_pair IN SELECT p.id, p.existing_id FROM jsonb_to_recordset(p_collisions) AS p (id uuid, existing_id uuid) LOOP
    SELECT * INTO v_kept FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_pair.existing_id;
    SELECT * INTO v_other FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_pair.id;
    PERFORM merged_contact_ids(merged_opportunity(v_kept, v_other, p_from_id, p_to_id), v_other,
      p_contact_limit, p_from_id, p_to_id);
  END LOOP;
END
$$;

-- Merges two opportunities that would have the same natural key. The kept one gets the contacts, notes and stays in stages of both. The last
-- parameters are those of merged_opportunity. Returns the events.
CREATE OR REPLACE FUNCTION merge_opportunity(p_organization_id uuid, p_kept_id uuid, p_other_id uuid, p_contact_limit int, p_from_id uuid, p_to_id uuid) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_kept opportunities;
  v_other opportunities;
  v_new opportunities;
  v_kept_linked uuid[] := additional_contact_ids(p_organization_id, p_kept_id);
  v_other_linked uuid[] := additional_contact_ids(p_organization_id, p_other_id);
  v_contact_ids uuid[];
  v_note_events text[];
  v_deletion text;
  v_merged jsonb;
BEGIN
  SELECT * INTO v_kept FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_kept_id;
  SELECT * INTO v_other FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_other_id;
  v_new := merged_opportunity(v_kept, v_other, p_from_id, p_to_id);
  v_contact_ids := merged_contact_ids(v_new, v_other, p_contact_limit, p_from_id, p_to_id);
  v_note_events := move_opportunity_notes(p_organization_id, p_other_id, p_kept_id);
  v_deletion := opportunity_deletion(v_other, v_other_linked, p_kept_id);
  DELETE FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_other_id;
  PERFORM remember_merge(p_organization_id, 'opportunity', p_other_id, p_kept_id);
  PERFORM delete_results_of_record(p_organization_id, p_other_id);
  v_merged := merged_event(store_opportunity(v_kept, v_new, v_kept_linked, v_contact_ids), p_other_id);
  PERFORM merge_visits(v_kept, v_deletion::jsonb->'visits', (v_merged->'record'->>'updated_at')::timestamptz);
  RETURN v_note_events || v_merged::text || v_deletion;
END
$$;

-- Merges the two opportunities of each collision. The other parameters are those of merge_opportunity.
CREATE OR REPLACE FUNCTION merge_opportunities(p_organization_id uuid, p_collisions jsonb, p_contact_limit int, p_from_id uuid, p_to_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_pair record;
  v_events text[] := '{}';
BEGIN
  FOR v_pair IN SELECT p.id, p.existing_id FROM jsonb_to_recordset(p_collisions) AS p (id uuid, existing_id uuid) ORDER BY p.id LOOP
    v_events := v_events || merge_opportunity(p_organization_id, v_pair.existing_id, v_pair.id, p_contact_limit, p_from_id, p_to_id);
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Replaces a record by the kept one in opportunities, in the order of their natural keys.
CREATE OR REPLACE FUNCTION move_opportunities(p_organization_id uuid, p_ids uuid[], p_from_id uuid, p_to_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old opportunities;
  v_new opportunities;
  v_linked uuid[];
  v_wanted uuid[];
  v_events text[] := '{}';
BEGIN
  FOR v_old IN SELECT * FROM opportunities_of_ids(p_organization_id, p_ids) o ORDER BY o.pipeline_id, o.name LOOP
    v_new := v_old;
    v_new.account_id := CASE WHEN v_old.account_id = p_from_id THEN p_to_id ELSE v_old.account_id END;
    v_new.contact_id := CASE WHEN v_old.contact_id = p_from_id THEN p_to_id ELSE v_old.contact_id END;
    v_new.account_key := CASE WHEN v_old.account_key = p_from_id::text THEN p_to_id::text ELSE v_old.account_key END;
    v_linked := additional_contact_ids(p_organization_id, v_old.id);
    v_wanted := distinct_contact_ids(array_replace(v_linked, p_from_id, p_to_id), v_new.contact_id);
    -- An opportunity that merge_opportunities kept already has the kept contact.
    IF v_new IS DISTINCT FROM v_old OR v_wanted <> v_linked THEN
      v_events := v_events || store_opportunity(v_old, v_new, v_linked, v_wanted);
    END IF;
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Records that p_id was merged into p_kept_id. Updates records that were merged into p_id earlier to point to p_kept_id too.
CREATE OR REPLACE FUNCTION remember_merge(p_organization_id uuid, p_object text, p_id uuid, p_kept_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE merged_records m SET merged_into = p_kept_id
    WHERE m.organization_id = p_organization_id AND m.object_type = p_object AND m.merged_into = p_id;
  INSERT INTO merged_records (organization_id, object_type, id, merged_into) VALUES (p_organization_id, p_object, p_id, p_kept_id)
    ON CONFLICT (organization_id, object_type, id) DO UPDATE SET merged_into = excluded.merged_into;
END
$$;

-- The result of a merge. p_filled: the result of filling_change.
CREATE OR REPLACE FUNCTION merge_result(p_input jsonb, p_filled jsonb, p_collisions jsonb, p_contacts int, p_opportunities int, p_notes int) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'from', p_input->'from', 'contacts', p_contacts,
    'opportunities', p_opportunities - jsonb_array_length(p_collisions), 'merged_opportunities', jsonb_array_length(p_collisions),
    'notes', p_notes, 'filled', filled_fields(p_filled), 'conflicts', jsonb_path_query_array(p_collisions, '$[0 to 99]'));
END
$$;

-- The opportunities of an account, or those of a contact; at most p_limit (of a contact: of each kind of link).
CREATE OR REPLACE FUNCTION opportunity_ids_of(p_organization_id uuid, p_object text, p_id uuid, p_limit int) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_object = 'contact' THEN
    RETURN opportunity_ids_of_contact(p_organization_id, p_id, p_limit);
  END IF;
  RETURN ARRAY(SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = p_id LIMIT p_limit);
END
$$;

-- The ids of the records that a merge moves, and its collisions. Refuses a merge above a limit, and collisions unless the request asks to
-- merge the opportunities or is a dry run. p_renames: whether the kept record gets a name, which its own opportunities copy. The key of an
-- opportunity contains a contact only if it has no account.
CREATE OR REPLACE FUNCTION merge_plan(p_organization_id uuid, p_object text, p_input jsonb, p_renames boolean,
  OUT contact_ids uuid[], OUT opportunity_ids uuid[], OUT note_ids uuid[], OUT collisions jsonb) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_other_id uuid := p_input->>'from';
  v_limits jsonb := p_input->'limits';
  v_most int := (v_limits->>'opportunities')::int + 1;
  v_copying_ids uuid[] := '{}';
BEGIN
  opportunity_ids := opportunity_ids_of(p_organization_id, p_object, v_other_id, v_most);
  PERFORM check_merge_size(v_limits, 'opportunities', cardinality(opportunity_ids));
  contact_ids := '{}';
  IF p_object = 'account' THEN
    contact_ids := ARRAY(
      SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_other_id LIMIT (v_limits->>'contacts')::int + 1);
    PERFORM check_merge_size(v_limits, 'contacts', cardinality(contact_ids));
  END IF;
  collisions := colliding_opportunities(p_organization_id, opportunity_ids, p_input->>'from', p_input->>'id');
  PERFORM check_merge_size(v_limits, 'merged_opportunities', jsonb_array_length(collisions));
  note_ids := moved_note_ids(p_organization_id, p_object, v_other_id, collisions, v_limits);
  IF p_renames THEN
    v_copying_ids := opportunity_ids_of(p_organization_id, p_object, (p_input->>'id')::uuid, v_most);
    PERFORM check_merge_size(v_limits, 'opportunities', cardinality(v_copying_ids));
  END IF;
  PERFORM check_merge_bytes(p_organization_id, v_limits, contact_ids, note_ids, opportunity_ids || v_copying_ids || collision_ids(collisions, 'existing_id'));
  IF collisions <> '[]' AND NOT (p_input->>'merges_opportunities')::boolean AND NOT (p_input->>'is_dry_run')::boolean THEN
    PERFORM refuse('opportunities_collide', jsonb_build_object('count', jsonb_array_length(collisions), 'conflicts', jsonb_path_query_array(collisions, '$[0 to 99]')));
  END IF;
END
$$;

-- Refuses a merge if one of the records does not exist, or if the kept one has another version than the request names. Takes the lock,
-- unless the request is a dry run.
CREATE OR REPLACE FUNCTION begin_merge(p_kept_version int, p_other_version int, p_input jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM check_version(p_kept_version, p_input);
  IF p_other_version IS NULL THEN
    PERFORM refuse('merge_source_not_found');
  END IF;
  IF NOT (p_input->>'is_dry_run')::boolean THEN
    PERFORM begin_change('exclusive');
  END IF;
END
$$;
