-- Deletion of a contact, in several calls if there is much to change.
--
-- All deletions end their calls after a batch: `rows` records, or those whose events have `bytes`. If more may be left, a call returns
-- {is_deleted: false}, and the caller commits and calls again. So no call holds locks for long or reaches the statement timeout, and an
-- interrupted deletion keeps its progress.

-- Removes a contact from opportunities, until their events have p_bytes. Returns false if it has not reached all of them. The caller holds
-- the locks of the opportunities.
CREATE OR REPLACE FUNCTION detach_contact(p_organization_id uuid, p_id uuid, p_opportunity_ids uuid[], p_bytes bigint) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_old opportunities;
  v_new opportunities;
  v_linked uuid[];
  v_left uuid[];
  v_done uuid[] := '{}';
  v_event text;
  v_events text[] := '{}';
  v_bytes bigint := 0;
BEGIN
  FOR v_old IN SELECT * FROM opportunities_of_ids(p_organization_id, p_opportunity_ids) LOOP
    EXIT WHEN v_bytes >= p_bytes;
    v_done := v_done || v_old.id;
    v_new := v_old;
    v_linked := additional_contact_ids(p_organization_id, v_old.id);
    v_left := array_remove(v_linked, p_id);
    -- A parallel call may have removed the contact before this call got the lock.
    CONTINUE WHEN v_left = v_linked AND v_old.contact_id IS DISTINCT FROM p_id;
    IF v_old.contact_id = p_id THEN
      v_new.contact_id := NULL;
      v_new.contact_email := NULL;
      v_new.contact_first_name_key := NULL;
      v_new.contact_last_name_key := NULL;
    END IF;
    v_new.record := opportunity_record(v_new, v_left);
    v_new.updated_at := greatest(v_now, v_old.updated_at);
    v_new.version := v_old.version + 1;
    UPDATE opportunities o SET contact_id = v_new.contact_id, contact_email = v_new.contact_email,
           contact_first_name_key = v_new.contact_first_name_key, contact_last_name_key = v_new.contact_last_name_key,
           record = v_new.record, updated_at = v_new.updated_at, version = v_new.version
      WHERE o.organization_id = p_organization_id AND o.id = v_new.id;
    v_event := change_event('opportunity', opportunity_event_record(v_old, v_linked), opportunity_event_record(v_new, v_left));
    v_events := v_events || v_event;
    v_bytes := v_bytes + octet_length(v_event);
  END LOOP;
  DELETE FROM opportunity_contacts l WHERE l.organization_id = p_organization_id AND l.contact_id = p_id AND l.opportunity_id = ANY (v_done);
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
  v_old contacts;
  v_opportunity_ids uuid[];
  v_merged_ids uuid[];
  v_erased jsonb;
BEGIN
  PERFORM check_version((SELECT c.version FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id), p_input);
  PERFORM lock_names(p_organization_id, 'contact', ARRAY[v_id], true);
  v_opportunity_ids := opportunity_ids_of_contact(p_organization_id, v_id, v_rows);
  PERFORM lock_opportunities(p_organization_id, v_opportunity_ids);
  PERFORM lock_contacts(p_organization_id, ARRAY[v_id], ARRAY[v_id]);
  SELECT * INTO v_old FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id;
  PERFORM check_version(v_old.version, p_input);
  IF NOT detach_contact(p_organization_id, v_id, v_opportunity_ids, v_bytes) OR cardinality(v_opportunity_ids) >= v_rows
    OR NOT detach_notes(p_organization_id, 'contact', v_id, p_input->'batch') OR NOT delete_results_of_record(p_organization_id, v_id, v_rows) THEN
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
