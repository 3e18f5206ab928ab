-- Deletion of a contact, in several calls if there is much to change.
--
-- All deletions end their calls after a batch: `rows` records, or those whose events have `bytes`. If more may be left, a call returns
-- {is_deleted: false}, and the caller commits and calls again. So no call holds locks for long or reaches the statement timeout, and an
-- interrupted deletion keeps its progress.

-- Removes a contact from opportunities, until their events have p_bytes. Returns false if it has not reached all of them.
CREATE OR REPLACE FUNCTION detach_contact(p_organization_id uuid, p_id uuid, p_opportunity_ids uuid[], p_bytes bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old opportunities;
  v_new opportunities;
  v_linked uuid[];
  v_event text;
  v_events text[] := '{}';
  v_bytes bigint := 0;
BEGIN
  FOR v_old IN SELECT * FROM opportunities_of_ids(p_organization_id, p_opportunity_ids) LOOP
    EXIT WHEN v_bytes >= p_bytes;
    v_new := v_old;
    v_new.contact_id := nullif(v_old.contact_id, p_id);
    v_linked := additional_contact_ids(p_organization_id, v_old.id);
    v_event := store_opportunity(v_old, v_new, v_linked, array_remove(v_linked, p_id));
    v_events := v_events || v_event;
    v_bytes := v_bytes + octet_length(v_event);
  END LOOP;
  PERFORM collect_events(v_events);
  RETURN (v_bytes >= p_bytes) IS NOT TRUE;
END
$$;

-- p_input: {id, version, batch: {rows, bytes, erased}}. Removes a contact from its opportunities and notes, and deletes it with its aliases.
-- Erases the values in its events and in the events of contacts that were merged into it.
CREATE OR REPLACE FUNCTION delete_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_rows int := p_input->'batch'->'rows';
  v_bytes bigint := p_input->'batch'->'bytes';
  v_id uuid := p_input->>'id';
  v_old contacts := read_contact(p_organization_id, v_id);
  v_opportunity_ids uuid[];
  v_merged_ids uuid[];
  v_erased jsonb;
BEGIN
  PERFORM check_version(v_old.version, p_input);
  PERFORM begin_change('exclusive');
  v_opportunity_ids := opportunity_ids_of_contact(p_organization_id, v_id, v_rows);
  IF NOT detach_contact(p_organization_id, v_id, v_opportunity_ids, v_bytes) OR cardinality(v_opportunity_ids) >= v_rows
    OR NOT detach_contact_notes(p_organization_id, v_id, p_input->'batch') OR NOT delete_results_of_record(p_organization_id, v_id, v_rows) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  v_merged_ids := ARRAY(
    SELECT m.id FROM merged_records m WHERE m.organization_id = p_organization_id AND m.object_type = 'contact' AND m.merged_into = v_id);
  v_erased := erase_events(p_organization_id, 'contact', v_id || v_merged_ids, p_input->'batch');
  IF v_erased IS NOT NULL THEN
    RETURN unfinished_deletion(p_input, v_erased);
  END IF;
  DELETE FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id;
  PERFORM collect_events(ARRAY[erasure_event('contact', v_id, v_old.version)]);
  RETURN jsonb_build_object('id', v_id, 'is_deleted', true);
END
$$;
