-- The ids of the records that a merge of contacts moves, and its collisions. Refuses a merge above a limit. p_renames: whether the kept
-- contact gets a name, which its opportunities, repeating_ids, copy.
CREATE OR REPLACE FUNCTION contact_merge_plan(p_organization_id uuid, p_input jsonb, p_renames boolean,
  OUT opportunity_ids uuid[], OUT repeating_ids uuid[], OUT note_ids uuid[], OUT collisions jsonb) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_other_id uuid := p_input->>'from';
  v_limits jsonb := p_input->'limits';
BEGIN
  opportunity_ids := opportunity_ids_of_contact(p_organization_id, v_other_id, (v_limits->>'opportunities')::int + 1);
  PERFORM check_merge_size(v_limits, 'opportunities', cardinality(opportunity_ids));
  -- Only opportunities without an account have the contact in their natural key.
  collisions := colliding_opportunities(p_organization_id, opportunity_ids, p_input->>'from', p_input->>'id');
  PERFORM check_merge_size(v_limits, 'merged_opportunities', jsonb_array_length(collisions));
  note_ids := moved_note_ids(p_organization_id, 'contact', v_other_id, collisions, v_limits);
  repeating_ids := '{}';
  IF p_renames THEN
    repeating_ids := opportunity_ids_of_contact(p_organization_id, (p_input->>'id')::uuid, (v_limits->>'opportunities')::int + 1);
    PERFORM check_merge_size(v_limits, 'opportunities', cardinality(repeating_ids));
  END IF;
  PERFORM check_merge_bytes(p_organization_id, v_limits, '{}', note_ids, opportunity_ids || repeating_ids || collision_ids(collisions, 'existing_id'));
END
$$;

-- Takes the locks of a merge of contacts, in the order of locks.sql. Returns the ids that it locked; check_merge_locks compares them with
-- merge_ids. p_renames: see contact_merge_plan.
CREATE OR REPLACE FUNCTION lock_contact_merge(p_organization_id uuid, p_input jsonb, p_renames boolean) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_other_id uuid := p_input->>'from';
  v_plan record;
  v_contact_ids uuid[];
BEGIN
  -- One call takes all name locks, so that they are taken in order. If the second plan needs more locks, check_merge_locks ends the
  -- merge.
  SELECT * INTO v_plan FROM contact_merge_plan(p_organization_id, p_input, p_renames);
  v_contact_ids := contact_ids_of_opportunities(p_organization_id, collision_ids(v_plan.collisions, 'id')) || v_id || v_other_id;
  PERFORM lock_names(p_organization_id, 'contact', v_contact_ids, true);
  SELECT * INTO v_plan FROM contact_merge_plan(p_organization_id, p_input, p_renames);
  PERFORM check_collisions(v_plan.collisions, p_input);
  PERFORM lock_opportunities(p_organization_id, v_plan.opportunity_ids || collision_ids(v_plan.collisions, 'existing_id') || v_plan.repeating_ids);
  PERFORM lock_contacts(p_organization_id, ARRAY[v_id, v_other_id], ARRAY[v_other_id]);
  PERFORM lock_organization_state(p_organization_id, 'visible_fields', false);
  RETURN v_plan.opportunity_ids || collision_ids(v_plan.collisions, 'existing_id') || v_contact_ids;
END
$$;

-- Replaces the other contact by the kept one in opportunities, in the order of their natural keys. The caller holds the locks of the
-- opportunities.
CREATE OR REPLACE FUNCTION move_opportunities_to_contact(p_organization_id uuid, p_ids uuid[], p_other_id uuid, p_contact_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old opportunities;
  v_new opportunities;
  v_linked uuid[];
  v_wanted uuid[];
  v_events text[] := '{}';
BEGIN
  FOR v_old IN
    SELECT * FROM opportunities_of_ids(p_organization_id, p_ids) o ORDER BY o.pipeline_id, o.name
  LOOP
    v_new := v_old;
    v_new.contact_id := CASE WHEN v_old.contact_id = p_other_id THEN p_contact_id ELSE v_old.contact_id END;
    v_new.account_key := CASE WHEN v_old.account_key = p_other_id::text THEN p_contact_id::text ELSE v_old.account_key END;
    v_linked := additional_contact_ids(p_organization_id, v_old.id);
    v_wanted := distinct_contact_ids(array_replace(v_linked, p_other_id, p_contact_id), v_new.contact_id);
    -- An opportunity that merge_opportunities kept already has the kept contact.
    IF v_new IS DISTINCT FROM v_old OR v_wanted <> v_linked THEN
      v_events := v_events || store_merged_opportunity(v_old, v_new, v_wanted);
    END IF;
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Moves notes and aliases to the kept contact, deletes the other contact and makes its email an alias.
CREATE OR REPLACE FUNCTION move_rest_to_contact(p_organization_id uuid, p_other contacts, p_contact_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM collect_events(move_notes(p_organization_id, 'contact', p_other.id, p_contact_id)
    || deletion_event('contact', contact_event_record(p_other)));
  UPDATE contact_aliases l SET contact_id = p_contact_id WHERE l.organization_id = p_organization_id AND l.contact_id = p_other.id;
  DELETE FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_other.id;
  INSERT INTO contact_aliases (organization_id, email, contact_id) VALUES (p_organization_id, p_other.email, p_contact_id);
  PERFORM remember_merge(p_organization_id, 'contact', p_other.id, p_contact_id);
  PERFORM delete_results_of_record(p_organization_id, p_other.id);
END
$$;

-- Like fill_account, for contacts.
CREATE OR REPLACE FUNCTION fill_contact(p_old contacts, p_other_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new contacts := changed_contact(p_old, p_change);
BEGIN
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  IF p_change->'set' ? 'external_id' THEN
    UPDATE contacts c SET external_id = NULL WHERE c.organization_id = p_old.organization_id AND c.id = p_other_id;
  END IF;
  PERFORM update_contact_row(v_new);
  IF contact_is_renamed(p_old, v_new) THEN
    PERFORM copy_contact_texts(v_new);
  END IF;
  PERFORM collect_events(ARRAY[merged_event(change_event('contact', contact_event_record(p_old), contact_event_record(v_new)))]);
END
$$;

-- p_input: {id, from, version, is_dry_run, merges_opportunities, contact_limit, limits}. Merges the contact `from` into the contact
-- `id`, which stays in its account. A dry run takes no lock and writes nothing.
CREATE OR REPLACE FUNCTION merge_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_columns constant text[] := '{external_id,first_name,last_name,job_title,phone}';
  v_id uuid := p_input->>'id';
  v_other_id uuid := p_input->>'from';
  v_is_dry_run boolean := p_input->>'is_dry_run';
  v_kept contacts;
  v_other contacts;
  v_change jsonb;
  v_plan record;
  v_renames boolean;
  v_locked_ids uuid[];
BEGIN
  FOR v_attempt IN 1..2 LOOP
    SELECT * INTO v_kept FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id;
    SELECT * INTO v_other FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_other_id;
    PERFORM check_merged_records(v_kept.version, v_other.version, p_input);
    v_change := filling_change(p_organization_id, 'contact', to_jsonb(v_kept), to_jsonb(v_other), v_columns);
    EXIT WHEN v_is_dry_run;
    PERFORM check_merge_renames(v_change->'set' ?| '{first_name,last_name}', v_renames);
    EXIT WHEN v_attempt = 2;
    v_renames := v_change->'set' ?| '{first_name,last_name}';
    v_locked_ids := lock_contact_merge(p_organization_id, p_input, v_renames);
  END LOOP;
  SELECT * INTO v_plan FROM contact_merge_plan(p_organization_id, p_input, v_change->'set' ?| '{first_name,last_name}');
  IF v_is_dry_run AND (p_input->>'merges_opportunities')::boolean THEN
    PERFORM check_merged_contacts(p_organization_id, v_plan.collisions, (p_input->>'contact_limit')::int, v_other_id, v_id);
  ELSIF NOT v_is_dry_run THEN
    PERFORM check_collisions(v_plan.collisions, p_input);
    PERFORM check_merge_locks(merge_ids(p_organization_id, v_plan.opportunity_ids, v_plan.collisions), v_locked_ids);
    PERFORM fill_contact(v_kept, v_other_id, v_change);
    PERFORM merge_opportunities(p_organization_id, v_plan.collisions, (p_input->>'contact_limit')::int, v_other_id, v_id);
    PERFORM move_opportunities_to_contact(p_organization_id, v_plan.opportunity_ids, v_other_id, v_id);
    PERFORM move_rest_to_contact(p_organization_id, v_other, v_id);
  END IF;
  RETURN merge_result(p_input, v_change, v_plan.collisions, 0, cardinality(v_plan.opportunity_ids), cardinality(v_plan.note_ids));
END
$$;
