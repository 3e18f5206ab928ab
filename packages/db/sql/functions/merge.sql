-- Merging two records: what accounts and contacts share. `kept` is the record that stays, `other` the one that is merged into it and
-- deleted.
--
-- Merges and deletions of one organization run one after another, because each of them locks the stored results exclusively. So no record
-- that a merge has read is deleted before the merge ends. Name locks on both records keep other calls from linking opportunities to them.
-- Row locks keep other calls from adding contacts and notes.

-- Raises serialization_failure if a merge would change a record that it has not locked: a parallel call changed a key, a name or a contact
-- after the merge had computed its locks. The merge is retried.
CREATE OR REPLACE FUNCTION check_merge_locks(p_ids uuid[], p_locked_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF NOT p_ids <@ p_locked_ids THEN
    RAISE EXCEPTION 'a record was changed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- Raises serialization_failure if a merge would rename the kept record but has not locked the opportunities that copy its name. This
-- happens if a parallel call clears the name after the merge has computed its locks. p_renames: whether the merge renames the kept
-- record. p_held: the value of p_renames when the locks were taken; null before that.
CREATE OR REPLACE FUNCTION check_merge_renames(p_renames boolean, p_held boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_renames AND NOT p_held THEN
    RAISE EXCEPTION 'the record was renamed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- The change that fills empty values of the kept record from the other one: the columns p_columns and the custom fields. It has the form
-- described in account_changes.sql. p_kept, p_other: the two rows.
CREATE OR REPLACE FUNCTION filling_change(p_organization_id uuid, p_object text, p_kept jsonb, p_other jsonb, p_columns text[]) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_columns text[] := ARRAY(SELECT c FROM unnest(p_columns) c WHERE coalesce(p_kept->>c, '') = '' AND coalesce(p_other->>c, '') <> '');
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

-- Turns the `updated` event of the kept record into its `merged` event.
CREATE OR REPLACE FUNCTION merged_event(p_event text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_event jsonb := p_event;
BEGIN
  RETURN (v_event || jsonb_build_object('type', (v_event->>'object') || '.merged'))::text;
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

-- Refuses collisions unless the request asks to merge the opportunities.
CREATE OR REPLACE FUNCTION check_collisions(p_collisions jsonb, p_input jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_collisions <> '[]' AND NOT (p_input->>'merges_opportunities')::boolean THEN
    PERFORM refuse('opportunities_collide', jsonb_build_object(
      'count', jsonb_array_length(p_collisions), 'conflicts', jsonb_path_query_array(p_collisions, '$[0 to 99]')));
  END IF;
END
$$;

-- The ids of collisions. p_key: `id` or `existing_id`.
CREATE OR REPLACE FUNCTION collision_ids(p_collisions jsonb, p_key text) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT (c.value->>p_key)::uuid FROM jsonb_array_elements(p_collisions) c);
END
$$;

-- The primary and additional contacts of opportunities.
CREATE OR REPLACE FUNCTION contact_ids_of_opportunities(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := ARRAY(SELECT o.contact_id FROM opportunities_of_ids(p_organization_id, p_opportunity_ids) o WHERE o.contact_id IS NOT NULL);
  v_linked uuid[] := ARRAY(
    SELECT l.contact_id FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.opportunity_id = ANY (p_opportunity_ids));
BEGIN
  RETURN ARRAY(SELECT DISTINCT i FROM unnest(v_ids || v_linked) i ORDER BY i);
END
$$;

-- The records that a merge reads and may change, apart from the two records themselves: opportunities, and the contacts of opportunities
-- that are merged into others.
CREATE OR REPLACE FUNCTION merge_ids(p_organization_id uuid, p_opportunity_ids uuid[], p_collisions jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN p_opportunity_ids || collision_ids(p_collisions, 'existing_id') || contact_ids_of_opportunities(p_organization_id, collision_ids(p_collisions, 'id'));
END
$$;

-- Stores an opportunity that a merge has changed, with its additional contacts and its copies of other records. Returns the event. The
-- caller holds the lock of the opportunity.
CREATE OR REPLACE FUNCTION store_merged_opportunity(p_old opportunities, p_new opportunities, p_contact_ids uuid[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new opportunities := copy_related_texts(p_new);
  v_linked uuid[] := additional_contact_ids(p_old.organization_id, p_old.id);
BEGIN
  IF p_contact_ids <> v_linked THEN
    PERFORM replace_contact_links(p_old.organization_id, p_old.id, p_contact_ids);
  END IF;
  v_new.record := opportunity_record(v_new, p_contact_ids);
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  PERFORM update_opportunity_row(v_new);
  RETURN change_event('opportunity', opportunity_event_record(p_old, v_linked), opportunity_event_record(v_new, p_contact_ids));
END
$$;

-- The kept opportunity, with empty values filled from another one of the same pipeline. Fills an amount only together with its currency.
CREATE OR REPLACE FUNCTION filled_opportunity(p_kept opportunities, p_other opportunities) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_columns text[] := '{external_id,stage_id,owner_id,close_date,next_action_date,next_step,contact_id}';
BEGIN
  IF p_kept.currency IS NULL OR p_kept.currency IS NOT DISTINCT FROM p_other.currency THEN
    v_columns := v_columns || CASE WHEN p_kept.amount IS NULL THEN '{amount,currency}'::text[] ELSE '{}' END;
  END IF;
  RETURN changed_opportunity(p_kept, filling_change(p_kept.organization_id, 'opportunity',
    to_jsonb(p_kept) - 'record', to_jsonb(p_other) - 'record', v_columns));
END
$$;

-- The kept one of two opportunities that are merged, with empty values filled from the other. In a merge of contacts, p_to_contact_id
-- replaces p_from_contact_id; both are null in a merge of accounts.
CREATE OR REPLACE FUNCTION merged_opportunity(p_kept opportunities, p_other opportunities, p_from_contact_id uuid, p_to_contact_id uuid) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new opportunities := filled_opportunity(p_kept, p_other);
BEGIN
  IF v_new.contact_id = p_from_contact_id THEN
    v_new.contact_id := p_to_contact_id;
  END IF;
  RETURN v_new;
END
$$;

-- The additional contacts of p_new, the result of merged_opportunity: those of both opportunities. Refuses more than p_contact_limit.
CREATE OR REPLACE FUNCTION merged_contact_ids(p_new opportunities, p_other opportunities, p_contact_limit int, p_from_contact_id uuid, p_to_contact_id uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_both uuid[] := additional_contact_ids(p_new.organization_id, p_new.id) || p_other.contact_id || additional_contact_ids(p_new.organization_id, p_other.id);
  v_ids uuid[] := distinct_contact_ids(array_replace(v_both, p_from_contact_id, p_to_contact_id), p_new.contact_id);
BEGIN
  IF cardinality(v_ids) > p_contact_limit THEN
    PERFORM refuse('merge_too_large', jsonb_build_object('object', 'additional_contacts', 'limit', p_contact_limit));
  END IF;
  RETURN v_ids;
END
$$;

-- Refuses collisions whose merged opportunity would have too many additional contacts. Only a dry run calls it. In a real merge,
-- `merge_opportunity` makes the same check (`merged_contact_ids`).
CREATE OR REPLACE FUNCTION check_merged_contacts(p_organization_id uuid, p_collisions jsonb, p_contact_limit int, p_from_contact_id uuid DEFAULT NULL, p_to_contact_id uuid DEFAULT NULL) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_pair record;
  v_kept opportunities;
  v_other opportunities;
BEGIN
  FOR v_pair IN SELECT p.id, p.existing_id FROM jsonb_to_recordset(p_collisions) AS p (id uuid, existing_id uuid) LOOP
    SELECT * INTO v_kept FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_pair.existing_id;
    SELECT * INTO v_other FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_pair.id;
    PERFORM merged_contact_ids(merged_opportunity(v_kept, v_other, p_from_contact_id, p_to_contact_id), v_other,
      p_contact_limit, p_from_contact_id, p_to_contact_id);
  END LOOP;
END
$$;

-- Merges two opportunities that would have the same natural key. The kept one gets the contacts and notes of both. The contact parameters
-- are those of merged_opportunity. Returns the events.
CREATE OR REPLACE FUNCTION merge_opportunity(p_organization_id uuid, p_kept_id uuid, p_other_id uuid, p_contact_limit int, p_from_contact_id uuid, p_to_contact_id uuid) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_kept opportunities;
  v_other opportunities;
  v_new opportunities;
  v_other_linked uuid[] := additional_contact_ids(p_organization_id, p_other_id);
  v_contact_ids uuid[];
  v_note_events text[];
BEGIN
  SELECT * INTO v_kept FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_kept_id;
  SELECT * INTO v_other FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_other_id;
  v_new := merged_opportunity(v_kept, v_other, p_from_contact_id, p_to_contact_id);
  v_contact_ids := merged_contact_ids(v_new, v_other, p_contact_limit, p_from_contact_id, p_to_contact_id);
  v_note_events := move_notes(p_organization_id, 'opportunity', p_other_id, p_kept_id);
  DELETE FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_other_id;
  PERFORM remember_merge(p_organization_id, 'opportunity', p_other_id, p_kept_id);
  PERFORM delete_results_of_record(p_organization_id, p_other_id);
  RETURN v_note_events || merged_event(store_merged_opportunity(v_kept, v_new, v_contact_ids))
    || deletion_event('opportunity', opportunity_event_record(v_other, v_other_linked));
END
$$;

-- Merges the two opportunities of each collision. The other parameters are those of merge_opportunity.
CREATE OR REPLACE FUNCTION merge_opportunities(p_organization_id uuid, p_collisions jsonb, p_contact_limit int, p_from_contact_id uuid DEFAULT NULL, p_to_contact_id uuid DEFAULT NULL) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_pair record;
  v_events text[] := '{}';
BEGIN
  FOR v_pair IN SELECT p.id, p.existing_id FROM jsonb_to_recordset(p_collisions) AS p (id uuid, existing_id uuid) ORDER BY p.id LOOP
    v_events := v_events || merge_opportunity(p_organization_id, v_pair.existing_id, v_pair.id, p_contact_limit, p_from_contact_id, p_to_contact_id);
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

-- Refuses a merge if one of the records does not exist, or if the kept one has another version than the request names.
CREATE OR REPLACE FUNCTION check_merged_records(p_kept_version int, p_other_version int, p_input jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM check_version(p_kept_version, p_input);
  IF p_other_version IS NULL THEN
    PERFORM refuse('merge_source_not_found');
  END IF;
END
$$;
