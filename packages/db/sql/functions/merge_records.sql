-- Merging two accounts or two contacts.

-- Moves the contacts of an account to another one.
CREATE OR REPLACE FUNCTION move_contacts(p_organization_id uuid, p_from_id uuid, p_to_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_old contacts;
  v_new contacts;
  v_emails jsonb;
  v_events text[] := '{}';
BEGIN
  FOR v_new IN
    UPDATE contacts c SET account_id = p_to_id, updated_at = greatest(v_now, c.updated_at), version = c.version + 1
      WHERE c.organization_id = p_organization_id AND c.account_id = p_from_id RETURNING c.*
  LOOP
    v_old := v_new;
    v_old.account_id := p_from_id;
    v_emails := additional_emails(p_organization_id, v_new.id);
    v_events := v_events || change_event('contact', contact_event_record(v_old, v_emails), contact_event_record(v_new, v_emails));
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

-- Makes the domain or email of the other record and its aliases aliases of the kept record.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION move_{object}_aliases(p_organization_id uuid, p_other {objects}, p_{object}_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE {object}_aliases l SET {object}_id = p_{object}_id WHERE l.organization_id = p_organization_id AND l.{object}_id = p_other.id;
  INSERT INTO {object}_aliases (organization_id, {key}, {object}_id) VALUES (p_organization_id, p_other.{key}, p_{object}_id);
END
$$;

-- Moves notes to the kept record and deletes the other record. p_record: the other record as events have it.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
CREATE OR REPLACE FUNCTION move_rest_to_{object}(p_organization_id uuid, p_other {objects}, p_record jsonb, p_{object}_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM collect_events(move_{object}_notes(p_organization_id, p_other.id, p_{object}_id)
    || deletion_event('{object}', p_record, p_{object}_id));
  DELETE FROM {objects} r WHERE r.organization_id = p_organization_id AND r.id = p_other.id;
  PERFORM remember_merge(p_organization_id, '{object}', p_other.id, p_{object}_id);
  PERFORM delete_results_of_record(p_organization_id, p_other.id);
END
$$;

-- p_input: {id, from, version, is_dry_run, merges_opportunities, contact_limit, limits}. Merges the record `from` into the record `id`. A
-- contact stays in its account. A dry run takes no lock and writes nothing.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION merge_{object}(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_kept {objects} := read_{object}(p_organization_id, (p_input->>'id')::uuid);
  v_other {objects} := read_{object}(p_organization_id, (p_input->>'from')::uuid);
  v_contact_limit int := p_input->'contact_limit';
  v_aliases jsonb := additional_{key}s(p_organization_id, v_kept.id);
  v_record jsonb := {object}_event_record(v_other, additional_{key}s(p_organization_id, v_other.id));
  v_change jsonb;
  v_plan record;
BEGIN
  PERFORM begin_merge(v_kept.version, v_other.version, p_input);
  v_change := filling_change(p_organization_id, '{object}', to_jsonb(v_kept), to_jsonb(v_other), v_record, '{account_id}');
  SELECT * INTO v_plan FROM merge_plan(p_organization_id, '{object}', p_input, v_change->'set' ?| '{name,first_name,last_name}');
  IF NOT (p_input->>'is_dry_run')::boolean THEN
    IF v_change->'set' ? 'external_id' THEN
      -- External ids are unique.
      UPDATE {objects} r SET external_id = NULL WHERE r.organization_id = p_organization_id AND r.id = v_other.id;
    END IF;
    PERFORM move_{object}_aliases(p_organization_id, v_other, v_kept.id);
    PERFORM collect_events(ARRAY[merged_event(store_{object}(v_kept, changed_{object}(v_kept, v_change), v_aliases), v_other.id)]);
    PERFORM merge_opportunities(p_organization_id, v_plan.collisions, v_contact_limit, v_other.id, v_kept.id);
    PERFORM move_opportunities(p_organization_id, v_plan.opportunity_ids, v_other.id, v_kept.id);
    IF v_plan.contact_ids <> '{}' THEN
      PERFORM move_contacts(p_organization_id, v_other.id, v_kept.id);
    END IF;
    PERFORM move_rest_to_{object}(p_organization_id, v_other, v_record, v_kept.id);
  ELSIF (p_input->>'merges_opportunities')::boolean THEN
    PERFORM check_merged_contacts(p_organization_id, v_plan.collisions, v_contact_limit, v_other.id, v_kept.id);
  END IF;
  RETURN merge_result(p_input, v_change, v_plan.collisions, cardinality(v_plan.contact_ids), cardinality(v_plan.opportunity_ids), cardinality(v_plan.note_ids));
END
$$;
