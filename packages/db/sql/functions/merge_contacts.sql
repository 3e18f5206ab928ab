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

-- p_input: {id, from, version, is_dry_run, merges_opportunities, contact_limit, limits}. Merges the contact `from` into the contact
-- `id`, which stays in its account. A dry run takes no lock and writes nothing.
CREATE OR REPLACE FUNCTION merge_contact(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_kept contacts := read_contact(p_organization_id, (p_input->>'id')::uuid);
  v_other contacts := read_contact(p_organization_id, (p_input->>'from')::uuid);
  v_contact_limit int := p_input->'contact_limit';
  v_change jsonb;
  v_plan record;
BEGIN
  PERFORM begin_merge(v_kept.version, v_other.version, p_input);
  v_change := filling_change(p_organization_id, 'contact', to_jsonb(v_kept), to_jsonb(v_other), contact_event_record(v_other), '{account_id}');
  SELECT * INTO v_plan FROM merge_plan(p_organization_id, 'contact', p_input, v_change->'set' ?| '{first_name,last_name}');
  IF NOT (p_input->>'is_dry_run')::boolean THEN
    IF v_change->'set' ? 'external_id' THEN
      -- External ids are unique.
      UPDATE contacts r SET external_id = NULL WHERE r.organization_id = p_organization_id AND r.id = v_other.id;
    END IF;
    PERFORM collect_events(ARRAY[merged_event(store_contact(v_kept, changed_contact(v_kept, v_change)))]);
    PERFORM merge_opportunities(p_organization_id, v_plan.collisions, v_contact_limit, v_other.id, v_kept.id);
    PERFORM move_opportunities(p_organization_id, v_plan.opportunity_ids, v_other.id, v_kept.id);
    PERFORM move_rest_to_contact(p_organization_id, v_other, v_kept.id);
  ELSIF (p_input->>'merges_opportunities')::boolean THEN
    PERFORM check_merged_contacts(p_organization_id, v_plan.collisions, v_contact_limit, v_other.id, v_kept.id);
  END IF;
  RETURN merge_result(p_input, v_change, v_plan.collisions, 0, cardinality(v_plan.opportunity_ids), cardinality(v_plan.note_ids));
END
$$;
