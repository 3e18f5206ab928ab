-- Restoring deleted accounts and opportunities from their deletion events. Contacts and notes cannot be restored, because deleting them
-- erases the values of their events. A restored record has its old id and values, and a new version.
--
-- EVENT_RETENTION_DAYS of the inbound gateway limits what can be restored: with its event, a deletion becomes final.

-- The record in a deletion event. The caller has already found the event, so a missing record means that it expired or was erased since.
-- Refuses an event if a later event records another deletion of the same record, because the later one has the newer values and version.
CREATE OR REPLACE FUNCTION deleted_record(p_organization_id uuid, p_position bigint, p_object text) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_record_id uuid;
  v_record jsonb;
  v_last bigint;
BEGIN
  SELECT e.record_id, e.previous INTO v_record_id, v_record FROM events e
    WHERE e.organization_id = p_organization_id AND e.position = p_position AND e.type = p_object || '.deleted';
  IF v_record IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  v_last := (SELECT e.position FROM events e
              WHERE e.organization_id = p_organization_id AND e.object = p_object AND e.record_id = v_record_id AND e.type = p_object || '.deleted'
              ORDER BY e.position DESC LIMIT 1);
  IF v_last > p_position THEN
    PERFORM refuse('deleted_again', jsonb_build_object('lastPosition', v_last));
  END IF;
  RETURN v_record;
END
$$;

-- The ids of p_ids in their order, without duplicates. The id of a merged record is replaced by that of the kept record.
CREATE OR REPLACE FUNCTION current_ids(p_organization_id uuid, p_object text, p_ids uuid[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
  v_ids uuid[] := '{}';
BEGIN
  FOREACH v_id IN ARRAY p_ids LOOP
    v_id := coalesce((SELECT m.merged_into FROM merged_records m
      WHERE m.organization_id = p_organization_id AND m.object_type = p_object AND m.id = v_id), v_id);
    IF array_position(v_ids, v_id) IS NULL THEN
      v_ids := v_ids || v_id;
    END IF;
  END LOOP;
  RETURN v_ids;
END
$$;

-- Deletes the entry that maps a merged id to the kept record, because the id belongs to the restored record again.
CREATE OR REPLACE FUNCTION forget_merge(p_organization_id uuid, p_object text, p_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM merged_records m WHERE m.organization_id = p_organization_id AND m.object_type = p_object AND m.id = p_id;
END
$$;

-- Gives a restored account its aliases again. Returns those that find another account meanwhile: [{domain, account_id}].
CREATE OR REPLACE FUNCTION restore_aliases(p_organization_id uuid, p_id uuid, p_domains jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_domain text;
  v_holder uuid;
  v_taken jsonb := '[]';
BEGIN
  FOR v_domain IN SELECT d FROM jsonb_array_elements_text(p_domains) d LOOP
    v_holder := find_account_id(p_organization_id, v_domain);
    IF v_holder IS NULL THEN
      INSERT INTO account_aliases (organization_id, domain, account_id) VALUES (p_organization_id, v_domain, p_id);
    ELSE
      v_taken := v_taken || jsonb_build_object('domain', v_domain, 'account_id', v_holder);
    END IF;
  END LOOP;
  RETURN v_taken;
END
$$;

-- p_input: {position, change}. `position` is that of the deletion event. `change` has the custom values whose fields still exist, and the
-- columns that are computed from the record's values and the current definitions.
CREATE OR REPLACE FUNCTION restore_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_record jsonb := deleted_record(p_organization_id, (p_input->>'position')::bigint, 'account');
  v_row accounts := jsonb_populate_record(NULL::accounts, v_record || '{"normalized": {}, "custom_fields": {}}');
  v_taken jsonb;
BEGIN
  PERFORM begin_change('exclusive');
  v_row.organization_id := p_organization_id;
  v_row := changed_account(v_row, p_input->'change');
  v_row.updated_at := greatest(write_time(), v_row.updated_at);
  v_row.version := v_row.version + 1;
  PERFORM check_key_is_free('account', 'domain', (
    SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_row.id));
  PERFORM check_key_is_free('account', 'domain', find_account_id(p_organization_id, v_row.domain));
  PERFORM check_key_is_free('account', 'external_id', account_id_of_external_id(p_organization_id, v_row.external_id));
  INSERT INTO accounts VALUES (v_row.*);
  PERFORM forget_merge(p_organization_id, 'account', v_row.id);
  v_taken := restore_aliases(p_organization_id, v_row.id, v_record->'additional_domains');
  PERFORM collect_events(ARRAY[
    creation_event('account', 'restored', account_event_record(v_row, additional_domains(p_organization_id, v_row.id)))]);
  RETURN jsonb_build_object('object', 'account', 'id', v_row.id, 'version', v_row.version, 'dropped', '[]'::jsonb, 'taken', v_taken);
END
$$;

CREATE OR REPLACE FUNCTION contact_exists(p_organization_id uuid, p_id uuid) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id);
END
$$;

-- p_input as for restore_account. A link to a record that was merged becomes a link to the kept record. Omits links to records that no
-- longer exist. If the stage is archived, the opportunity gets the stage in which new ones start. `dropped` lists the columns with an
-- omitted link, and `stage_id` if the stage was replaced.
CREATE OR REPLACE FUNCTION restore_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_record jsonb := deleted_record(p_organization_id, (p_input->>'position')::bigint, 'opportunity');
  v_row opportunities := jsonb_populate_record(NULL::opportunities, v_record || '{"normalized": {}, "custom_fields": {}}');
  v_wanted opportunities;
  v_linked uuid[] := ARRAY(SELECT c.id::uuid FROM jsonb_array_elements_text(v_record->'additional_contact_ids') AS c (id));
  v_additional_ids uuid[];
  v_visits jsonb;
BEGIN
  PERFORM begin_change('exclusive');
  SELECT e.visits INTO v_visits FROM events e WHERE e.organization_id = p_organization_id AND e.position = (p_input->>'position')::bigint;
  v_row.organization_id := p_organization_id;
  v_row.account_id := (current_ids(p_organization_id, 'account', ARRAY[v_row.account_id]))[1];
  v_row.contact_id := (current_ids(p_organization_id, 'contact', ARRAY[v_row.contact_id]))[1];
  v_linked := array_remove(current_ids(p_organization_id, 'contact', v_linked), v_row.contact_id);
  v_wanted := v_row;
  v_row.account_id := (SELECT a.id FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_wanted.account_id);
  v_row.contact_id := (SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_wanted.contact_id);
  v_additional_ids := ARRAY(SELECT i.id FROM unnest(v_linked) WITH ORDINALITY AS i (id, position) WHERE contact_exists(p_organization_id, i.id) ORDER BY i.position);
  v_row.stage_id := (SELECT s.id FROM stages s
    WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_row.pipeline_id AND s.is_active AND v_wanted.stage_id IS NOT NULL
    ORDER BY s.id = v_wanted.stage_id DESC, s.is_default DESC, s.position LIMIT 1);
  v_row.owner_id := (SELECT m.id FROM members m WHERE m.organization_id = p_organization_id AND m.id = v_wanted.owner_id);
  v_row := changed_opportunity(v_row, p_input->'change');
  v_row.updated_at := greatest(write_time(), v_row.updated_at);
  v_row.version := v_row.version + 1;
  PERFORM check_key_is_free('opportunity', 'name', (
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_wanted.id));
  PERFORM check_key_is_free('opportunity', 'name', opportunity_id_of_key(v_row));
  PERFORM check_key_is_free('opportunity', 'external_id', opportunity_id_of_external_id(p_organization_id, v_row.external_id));
  PERFORM check_place_is_active(v_row);
  v_row := restored_in_stage(v_row, v_visits);
  v_row := copy_related_texts(v_row);
  v_row.record := opportunity_record(v_row, v_additional_ids);
  INSERT INTO opportunities VALUES (v_row.*);
  PERFORM restore_visits(v_row, v_visits);
  PERFORM add_contact_links(p_organization_id, v_row.id, v_additional_ids);
  PERFORM collect_events(ARRAY[creation_event('opportunity', 'restored', opportunity_event_record(v_row, v_additional_ids))]);
  PERFORM forget_merge(p_organization_id, 'opportunity', v_row.id);
  RETURN jsonb_build_object('object', 'opportunity', 'id', v_row.id, 'version', v_row.version, 'taken', '[]'::jsonb, 'dropped', to_jsonb(array_remove(ARRAY[
    CASE WHEN v_row.account_id IS DISTINCT FROM v_wanted.account_id THEN 'account_id' END,
    CASE WHEN v_row.contact_id IS DISTINCT FROM v_wanted.contact_id THEN 'contact_id' END,
    CASE WHEN v_additional_ids <> v_linked THEN 'additional_contact_ids' END,
    CASE WHEN v_row.stage_id IS DISTINCT FROM v_wanted.stage_id THEN 'stage_id' END,
    CASE WHEN v_row.owner_id IS DISTINCT FROM v_wanted.owner_id THEN 'owner_id' END], NULL)));
END
$$;
