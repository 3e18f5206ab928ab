-- Moves contacts, notes and aliases to the kept account, deletes the other account and makes its domain an alias.
CREATE OR REPLACE FUNCTION move_rest_to_account(p_organization_id uuid, p_other accounts, p_account_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_old contacts;
  v_new contacts;
  v_events text[] := '{}';
BEGIN
  FOR v_new IN
    UPDATE contacts c SET account_id = p_account_id, updated_at = greatest(v_now, c.updated_at), version = c.version + 1
      WHERE c.organization_id = p_organization_id AND c.account_id = p_other.id RETURNING c.*
  LOOP
    v_old := v_new;
    v_old.account_id := p_other.id;
    v_events := v_events || change_event('contact', contact_event_record(v_old), contact_event_record(v_new));
  END LOOP;
  v_events := v_events || move_notes(p_organization_id, 'account', p_other.id, p_account_id)
    || deletion_event('account', account_event_record(p_other));
  UPDATE account_aliases l SET account_id = p_account_id WHERE l.organization_id = p_organization_id AND l.account_id = p_other.id;
  DELETE FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_other.id;
  INSERT INTO account_aliases (organization_id, domain, account_id) VALUES (p_organization_id, p_other.domain, p_account_id);
  PERFORM remember_merge(p_organization_id, 'account', p_other.id, p_account_id);
  PERFORM delete_results_of_record(p_organization_id, p_other.id);
  PERFORM collect_events(v_events);
END
$$;

-- p_input: {id, from, version, is_dry_run, merges_opportunities, contact_limit, limits}. Merges the account `from` into the account `id`.
-- A dry run takes no lock and writes nothing.
CREATE OR REPLACE FUNCTION merge_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_kept accounts := read_account(p_organization_id, (p_input->>'id')::uuid);
  v_other accounts := read_account(p_organization_id, (p_input->>'from')::uuid);
  v_contact_limit int := p_input->'contact_limit';
  v_change jsonb;
  v_plan record;
BEGIN
  PERFORM begin_merge(v_kept.version, v_other.version, p_input);
  v_change := filling_change(p_organization_id, 'account', to_jsonb(v_kept), to_jsonb(v_other), account_event_record(v_other), '{}');
  SELECT * INTO v_plan FROM merge_plan(p_organization_id, 'account', p_input, v_change->'set' ? 'name');
  IF NOT (p_input->>'is_dry_run')::boolean THEN
    IF v_change->'set' ? 'external_id' THEN
      -- External ids are unique.
      UPDATE accounts r SET external_id = NULL WHERE r.organization_id = p_organization_id AND r.id = v_other.id;
    END IF;
    PERFORM collect_events(ARRAY[merged_event(store_account(v_kept, changed_account(v_kept, v_change)))]);
    PERFORM merge_opportunities(p_organization_id, v_plan.collisions, v_contact_limit, v_other.id, v_kept.id);
    PERFORM move_opportunities(p_organization_id, v_plan.opportunity_ids, v_other.id, v_kept.id);
    PERFORM move_rest_to_account(p_organization_id, v_other, v_kept.id);
  ELSIF (p_input->>'merges_opportunities')::boolean THEN
    PERFORM check_merged_contacts(p_organization_id, v_plan.collisions, v_contact_limit, v_other.id, v_kept.id);
  END IF;
  RETURN merge_result(p_input, v_change, v_plan.collisions, cardinality(v_plan.contact_ids), cardinality(v_plan.opportunity_ids), cardinality(v_plan.note_ids));
END
$$;
