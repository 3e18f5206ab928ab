-- The ids of the records that a merge of accounts moves, and its collisions. Refuses a merge above a limit. p_renames: whether the kept
-- account gets a name, which its opportunities, repeating_ids, copy.
CREATE OR REPLACE FUNCTION account_merge_plan(p_organization_id uuid, p_input jsonb, p_renames boolean,
  OUT contact_ids uuid[], OUT opportunity_ids uuid[], OUT repeating_ids uuid[], OUT note_ids uuid[], OUT collisions jsonb) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_other_id uuid := p_input->>'from';
  v_limits jsonb := p_input->'limits';
BEGIN
  opportunity_ids := ARRAY(
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = v_other_id
     LIMIT (v_limits->>'opportunities')::int + 1);
  PERFORM check_merge_size(v_limits, 'opportunities', cardinality(opportunity_ids));
  contact_ids := ARRAY(
    SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_other_id
     LIMIT (v_limits->>'contacts')::int + 1);
  PERFORM check_merge_size(v_limits, 'contacts', cardinality(contact_ids));
  collisions := colliding_opportunities(p_organization_id, opportunity_ids, p_input->>'from', p_input->>'id');
  PERFORM check_merge_size(v_limits, 'merged_opportunities', jsonb_array_length(collisions));
  note_ids := moved_note_ids(p_organization_id, 'account', v_other_id, collisions, v_limits);
  repeating_ids := '{}';
  IF p_renames THEN
    repeating_ids := ARRAY(
      SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.account_id = (p_input->>'id')::uuid
       LIMIT (v_limits->>'opportunities')::int + 1);
    PERFORM check_merge_size(v_limits, 'opportunities', cardinality(repeating_ids));
  END IF;
  PERFORM check_merge_bytes(p_organization_id, v_limits, contact_ids, note_ids, opportunity_ids || repeating_ids || collision_ids(collisions, 'existing_id'));
END
$$;

-- Takes the locks of a merge of accounts, in the order of locks.sql. Returns the ids that it locked; check_merge_locks compares them with
-- merge_ids. p_renames: see account_merge_plan.
CREATE OR REPLACE FUNCTION lock_account_merge(p_organization_id uuid, p_input jsonb, p_renames boolean) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_other_id uuid := p_input->>'from';
  v_plan record;
  v_contact_ids uuid[];
  v_moved_ids uuid[];
BEGIN
  PERFORM lock_names(p_organization_id, 'account', ARRAY[v_id, v_other_id], true);
  SELECT * INTO v_plan FROM account_merge_plan(p_organization_id, p_input, p_renames);
  PERFORM check_collisions(v_plan.collisions, p_input);
  v_contact_ids := contact_ids_of_opportunities(p_organization_id, collision_ids(v_plan.collisions, 'id'));
  PERFORM lock_names(p_organization_id, 'contact', v_contact_ids, false);
  PERFORM lock_opportunities(p_organization_id, v_plan.opportunity_ids || collision_ids(v_plan.collisions, 'existing_id') || v_plan.repeating_ids);
  PERFORM lock_accounts(p_organization_id, ARRAY[v_id, v_other_id], ARRAY[v_other_id]);
  v_moved_ids := ARRAY(SELECT c.id FROM contacts c WHERE c.organization_id = p_organization_id AND c.account_id = v_other_id);
  PERFORM lock_contacts(p_organization_id, v_moved_ids, '{}');
  PERFORM lock_organization_state(p_organization_id, 'visible_fields', false);
  RETURN v_plan.opportunity_ids || collision_ids(v_plan.collisions, 'existing_id') || v_contact_ids;
END
$$;

-- Moves opportunities to the kept account, in the order of their natural keys. The caller holds the locks of the opportunities.
CREATE OR REPLACE FUNCTION move_opportunities_to_account(p_organization_id uuid, p_ids uuid[], p_account_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old opportunities;
  v_new opportunities;
  v_events text[] := '{}';
BEGIN
  FOR v_old IN
    SELECT * FROM opportunities_of_ids(p_organization_id, p_ids) o ORDER BY o.pipeline_id, o.name
  LOOP
    v_new := v_old;
    v_new.account_id := p_account_id;
    v_new.account_key := p_account_id::text;
    v_events := v_events || store_merged_opportunity(v_old, v_new, additional_contact_ids(p_organization_id, v_old.id));
  END LOOP;
  PERFORM collect_events(v_events);
END
$$;

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

-- Fills empty values of the kept account, whose locks are held, from the other one. First removes a moved external id from the other
-- account, because external ids are unique.
CREATE OR REPLACE FUNCTION fill_account(p_old accounts, p_other_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new accounts := changed_account(p_old, p_change);
BEGIN
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  IF p_change->'set' ? 'external_id' THEN
    UPDATE accounts a SET external_id = NULL WHERE a.organization_id = p_old.organization_id AND a.id = p_other_id;
  END IF;
  PERFORM update_account_row(v_new);
  IF v_new.search_text <> p_old.search_text THEN
    PERFORM copy_account_texts(v_new);
  END IF;
  PERFORM collect_events(ARRAY[merged_event(change_event('account', account_event_record(p_old), account_event_record(v_new)))]);
END
$$;

-- p_input: {id, from, version, is_dry_run, merges_opportunities, contact_limit, limits}. Merges the account `from` into the account `id`.
-- A dry run takes no lock and writes nothing.
CREATE OR REPLACE FUNCTION merge_account(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_columns constant text[] := '{external_id,name,industry,description,website,employee_range}';
  v_id uuid := p_input->>'id';
  v_other_id uuid := p_input->>'from';
  v_is_dry_run boolean := p_input->>'is_dry_run';
  v_kept accounts;
  v_other accounts;
  v_change jsonb;
  v_plan record;
  v_renames boolean;
  v_locked_ids uuid[];
BEGIN
  FOR v_attempt IN 1..2 LOOP
    SELECT * INTO v_kept FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id;
    SELECT * INTO v_other FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_other_id;
    PERFORM check_merged_records(v_kept.version, v_other.version, p_input);
    v_change := filling_change(p_organization_id, 'account', to_jsonb(v_kept), to_jsonb(v_other), v_columns);
    EXIT WHEN v_is_dry_run;
    PERFORM check_merge_renames(v_change->'set' ? 'name', v_renames);
    EXIT WHEN v_attempt = 2;
    v_renames := v_change->'set' ? 'name';
    v_locked_ids := lock_account_merge(p_organization_id, p_input, v_renames);
  END LOOP;
  SELECT * INTO v_plan FROM account_merge_plan(p_organization_id, p_input, v_change->'set' ? 'name');
  IF v_is_dry_run AND (p_input->>'merges_opportunities')::boolean THEN
    PERFORM check_merged_contacts(p_organization_id, v_plan.collisions, (p_input->>'contact_limit')::int);
  ELSIF NOT v_is_dry_run THEN
    PERFORM check_collisions(v_plan.collisions, p_input);
    PERFORM check_merge_locks(merge_ids(p_organization_id, v_plan.opportunity_ids, v_plan.collisions), v_locked_ids);
    PERFORM fill_account(v_kept, v_other_id, v_change);
    PERFORM merge_opportunities(p_organization_id, v_plan.collisions, (p_input->>'contact_limit')::int);
    PERFORM move_opportunities_to_account(p_organization_id, v_plan.opportunity_ids, v_id);
    PERFORM move_rest_to_account(p_organization_id, v_other, v_id);
  END IF;
  RETURN merge_result(p_input, v_change, v_plan.collisions, cardinality(v_plan.contact_ids), cardinality(v_plan.opportunity_ids), cardinality(v_plan.note_ids));
END
$$;
