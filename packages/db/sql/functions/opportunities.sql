-- Opportunities: creating, updating and deleting them. creates.sql explains creates, opportunity_changes.sql changes.

-- What new opportunities take from other records, one row for each item that is not null. The accounts and contacts of the items exist. Each
-- record is looked up by its key: with a join, the planner may read all records of the organization.
CREATE OR REPLACE FUNCTION places_of_opportunities(p_organization_id uuid, p_inputs jsonb[]) RETURNS TABLE (n int, input jsonb, columns jsonb,
  account_id uuid, account_domain text, account_name_key text, account_text text, contact_id uuid, contact_email text, first_name_key text, last_name_key text,
  stage_label text, stage_outcome text, is_stage_active boolean, is_pipeline_active boolean, additional_ids uuid[], contact_texts text) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
  SELECT i.n::int, i.input, c.columns, a.id, a.domain, left(a.normalized_name, 200), a.search_text,
         p.id, p.email, left(p.normalized->>'first_name', 200), left(p.normalized->>'last_name', 200),
         s.label, s.outcome, s.is_active, l.is_active, coalesce(x.ids, '{}'), x.texts
    FROM unnest(p_inputs) WITH ORDINALITY i (input, n)
    CROSS JOIN LATERAL (SELECT (i.input->'defaults') || coalesce(i.input->'change'->'set', '{}') AS columns, i.input->'change'->>'primary_email' AS email OFFSET 0) c
    LEFT JOIN LATERAL (
      SELECT r.* FROM accounts r
       WHERE r.organization_id = p_organization_id AND r.id = coalesce(
           (SELECT f.id FROM accounts f WHERE f.organization_id = p_organization_id AND f.domain = i.input->>'account_domain'),
           (SELECT f.account_id FROM account_aliases f WHERE f.organization_id = p_organization_id AND f.domain = i.input->>'account_domain'),
           (SELECT f.account_id FROM contacts f WHERE f.organization_id = p_organization_id AND f.email = c.email AND i.input ? 'takes_account_of_contact'))
         AND NOT (r.is_freemail AND i.input ? 'takes_account_of_contact') OFFSET 0) a ON true
    LEFT JOIN LATERAL (
      SELECT r.* FROM contacts r
       WHERE r.organization_id = p_organization_id AND r.id = coalesce(
           (SELECT f.id FROM contacts f WHERE f.organization_id = p_organization_id AND f.email = c.email),
           (SELECT f.contact_id FROM contact_aliases f WHERE f.organization_id = p_organization_id AND f.email = c.email)) OFFSET 0) p ON true
    LEFT JOIN LATERAL (
      SELECT r.* FROM stages r WHERE r.organization_id = p_organization_id AND r.id = (c.columns->>'stage_id')::uuid OFFSET 0) s ON true
    LEFT JOIN LATERAL (
      SELECT r.* FROM pipelines r WHERE r.organization_id = p_organization_id AND r.id = (c.columns->>'pipeline_id')::uuid OFFSET 0) l ON true
    LEFT JOIN LATERAL (
      SELECT array_agg(d.id ORDER BY d.position) AS ids,
             string_agg(linked_contact_text(d.id, d.first_name, d.last_name, d.email), ',' ORDER BY d.position) AS texts
        FROM (SELECT r.id, min(k.position) AS position, min(r.first_name) AS first_name, min(r.last_name) AS last_name, min(r.email) AS email
                FROM jsonb_array_elements_text(i.input->'change'->'additional_emails') WITH ORDINALITY k (email, position)
                CROSS JOIN LATERAL (
                  SELECT r.* FROM contacts r
                   WHERE r.organization_id = p_organization_id AND r.id = coalesce(
                       (SELECT f.id FROM contacts f WHERE f.organization_id = p_organization_id AND f.email = k.email),
                       (SELECT f.contact_id FROM contact_aliases f WHERE f.organization_id = p_organization_id AND f.email = k.email)) OFFSET 0) r
               WHERE r.id IS DISTINCT FROM p.id GROUP BY r.id) d) x ON true
   WHERE i.input IS NOT NULL ORDER BY i.n;
END
$$;

-- The result of a create.
CREATE OR REPLACE FUNCTION opportunity_result(p_row opportunities, p_status text, p_unapplied jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_row.id, 'name', p_row.name, 'amount', trim_scale(p_row.amount), 'currency', p_row.currency,
    'account_id', p_row.account_id, 'contact_id', p_row.contact_id, 'version', p_row.version, 'record_status', p_status, 'unapplied', p_unapplied);
END
$$;

-- Creates opportunities with the missing accounts and contacts that they name, or finds those with the same external id or natural key. With
-- on_match keep, an opportunity that was found gets only the contacts of the request. An input:
--   accounts, contacts        as for ensure_related
--   account_domain            the domain of the account, or null
--   takes_account_of_contact  the account is that of the primary contact, unless that is free mail; only without account_domain
--   defaults                  columns of a new opportunity
--   change                    with primary_email and additional_emails if the request has them
--   account_change            only with an external id: {account_domain} if the request has it
--   on_match                  'keep' or 'update'
--   names_pipeline            the request names its pipeline instead of sending the id, for refusals
--   api_key_id                that of its request, if the call runs those of several requests
CREATE OR REPLACE FUNCTION create_opportunities(p_organization_id uuid, p_inputs jsonb[], p_before int, OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_size int[] := ARRAY[cardinality(p_inputs)];
  v_now timestamptz;
  v_api_key_id uuid := current_api_key_id();
  v_unseen text[];
  v_item record;
  v_row opportunities;
  -- By the number of the item.
  v_rows opportunities[] := array_fill(NULL::opportunities, v_size);
  v_keys text[] := array_fill(NULL::text, v_size);
  v_external_ids text[] := v_keys;
  v_account_keys text[] := v_keys;
  v_names text[] := v_keys;
  v_pipelines uuid[] := array_fill(NULL::uuid, v_size);
  v_additional jsonb[] := array_fill(NULL::jsonb, v_size);
  v_labels text[] := v_keys;
  v_contacts text[] := v_keys;
  v_found uuid[];
  v_creating boolean[];
  v_new opportunities[] := '{}';
  v_inserted uuid[];
  v_written record;
BEGIN
  answers := array_fill(NULL::jsonb, v_size);
  refusals := answers;
  new_events := ensure_related(p_organization_id, p_inputs, p_before);
  v_now := write_time();
  FOR v_item IN SELECT * FROM places_of_opportunities(p_organization_id, p_inputs) LOOP
    v_row := opportunity_with_values(NULL, (v_item.input->'change')
      || jsonb_build_object('set', '{"custom_fields": {}, "normalized": {}, "version": 1}' || v_item.columns));
    v_row.organization_id := p_organization_id;
    v_row.id := new_id(v_now);
    v_row.account_id := v_item.account_id;
    v_row.contact_id := v_item.contact_id;
    v_row.account_key := account_key_of(v_row.account_id, v_row.contact_id);
    v_row.account_domain := v_item.account_domain;
    v_row.account_name_key := v_item.account_name_key;
    v_row.contact_email := v_item.contact_email;
    v_row.contact_first_name_key := v_item.first_name_key;
    v_row.contact_last_name_key := v_item.last_name_key;
    v_row.search_text := concat_ws(' ', v_row.normalized_name, v_item.account_text);
    v_row.created_at := v_now;
    v_row.updated_at := v_now;
    v_row.stage_entered_at := CASE WHEN v_row.stage_id IS NOT NULL THEN v_now END;
    v_row.stage_api_key_id := coalesce((v_item.input->>'api_key_id')::uuid, v_api_key_id);
    v_row.closed_at := CASE WHEN v_item.stage_outcome <> 'open' THEN v_now END;
    v_rows[v_item.n] := v_row;
    v_keys[v_item.n] := CASE WHEN v_row.name IS NOT NULL THEN opportunity_key(v_row) END;
    v_external_ids[v_item.n] := v_row.external_id;
    v_account_keys[v_item.n] := v_row.account_key;
    v_names[v_item.n] := v_row.name;
    v_pipelines[v_item.n] := v_row.pipeline_id;
    v_additional[v_item.n] := to_jsonb(v_item.additional_ids);
    v_labels[v_item.n] := v_item.stage_label;
    v_contacts[v_item.n] := v_item.contact_texts;
    refusals[v_item.n] := coalesce(not_stored_refusal(NULL, v_item.input->'change'), CASE
      WHEN NOT v_item.is_pipeline_active THEN refusal_of('pipeline_archived', jsonb_build_object('isRestored', false, 'isNamed', v_item.input ? 'names_pipeline'))
      WHEN v_row.stage_id IS NOT NULL AND v_item.is_stage_active IS NOT TRUE THEN refusal_of('stage_archived') END);
  END LOOP;
  v_found := ARRAY(
    SELECT coalesce(
        (SELECT o.id FROM opportunities o WHERE o.organization_id = p_organization_id AND o.external_id = u.external_id),
        (SELECT o.id FROM opportunities o
          WHERE o.organization_id = p_organization_id AND o.pipeline_id = u.pipeline_id AND o.account_key = u.account_key AND o.name = u.name))
      FROM unnest(v_pipelines, v_account_keys, v_names, v_external_ids) WITH ORDINALITY u (pipeline_id, account_key, name, external_id, n) ORDER BY u.n);
  v_creating := creating_items(p_inputs, v_keys, v_external_ids, v_found, refusals);
  FOR n IN 1 .. v_size[1] LOOP
    IF NOT v_creating[n] THEN
      refusals[n] := NULL;
    ELSIF refusals[n] IS NULL THEN
      -- Only here, because a repeat needs no texts of a new record.
      v_unseen := coalesce(v_unseen, unseen_slugs(p_organization_id));
      v_row := v_rows[n];
      v_row.record := opportunity_text(v_row, v_labels[n], v_contacts[n], v_unseen);
      v_new := v_new || v_row;
      new_events := new_events || created_event(n + p_before, 'opportunity',
        opportunity_event_record(v_row, NULL) || jsonb_build_object('additional_contact_ids', v_additional[n]));
      answers[n] := opportunity_result(v_row, 'created', '[]');
    END IF;
  END LOOP;
  IF cardinality(v_new) > 0 THEN
    PERFORM begin_change('shared');
    v_inserted := insert_opportunities(v_new);
    IF cardinality(v_inserted) < cardinality(v_new) THEN
      new_events := inserted_events(new_events, 'opportunity', v_inserted);
      answers := answers_of_events(answers, new_events);
      FOR n IN 1 .. v_size[1] LOOP
        v_found[n] := coalesce(v_found[n], opportunity_id_of_key(v_rows[n]));
      END LOOP;
    END IF;
    INSERT INTO opportunity_contacts (organization_id, opportunity_id, contact_id, position)
      SELECT p_organization_id, (i.answer->>'id')::uuid, l.id::uuid, l.position
        FROM unnest(answers, v_additional) i (answer, additional), jsonb_array_elements_text(i.additional) WITH ORDINALITY l (id, position)
       WHERE i.answer IS NOT NULL;
  END IF;
  v_written := match_opportunities(p_organization_id, p_inputs, v_rows, v_found, answers, refusals, new_events, p_before);
  answers := v_written.answers;
  refusals := v_written.refusals;
  new_events := v_written.new_events;
END
$$;

-- The existing opportunity that a create refers to: the one with its external id, else the one with its natural key, else null. p_row:
-- the row of a new opportunity.
CREATE OR REPLACE FUNCTION opportunity_id_of_create(p_row opportunities) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN coalesce(CASE WHEN p_row.external_id IS NOT NULL THEN opportunity_id_of_external_id(p_row.organization_id, p_row.external_id) END,
    opportunity_id_of_key(p_row));
END
$$;

-- Refuses a create with an external id like create_account does (accounts_and_contacts.sql), and also if the external id belongs to an opportunity of another pipeline.
CREATE OR REPLACE FUNCTION check_opportunity_keys(p_row opportunities, p_found_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_key_id uuid := opportunity_id_of_key(p_row);
BEGIN
  PERFORM check_create_keys('opportunity', p_found_id, v_key_id, p_row.name IS NOT NULL);
  PERFORM check_opportunity_external_id(p_row.organization_id, v_key_id, p_row.external_id);
  PERFORM check_key_is_free('opportunity', 'external_id', (
    SELECT o.id FROM opportunities o WHERE o.organization_id = p_row.organization_id AND o.id = p_found_id AND o.pipeline_id <> p_row.pipeline_id));
END
$$;

-- The change that a create makes to the opportunity that it found. With on_match keep, it changes only the contacts. p_input:
-- {account_change, change, on_match}.
CREATE OR REPLACE FUNCTION matched_opportunity_change(p_input jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_input->>'on_match' = 'keep' THEN
    RETURN only_keys(p_input->'change', '{primary_email,additional_emails,contact_limit}') || '{"adds_contacts": true}';
  END IF;
  RETURN (p_input->'change') || coalesce(p_input->'account_change', '{}');
END
$$;

-- The result of a create whose external id or natural key an opportunity has; null if none has it. p_row: the new opportunity. p_input: see
-- create_opportunities.
CREATE OR REPLACE FUNCTION match_opportunity(p_organization_id uuid, p_input jsonb, p_row opportunities) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := p_input->'change';
  v_id uuid := opportunity_id_of_create(p_row);
  v_row opportunities;
  v_status text := 'matched';
  v_unapplied jsonb := '[]';
BEGIN
  IF p_row.external_id IS NOT NULL THEN
    PERFORM check_opportunity_keys(p_row, v_id);
  END IF;
  IF v_id IS NULL THEN
    RETURN NULL;
  END IF;
  IF p_input ? 'api_key_id' THEN
    PERFORM set_config('crm.api_key_id', p_input->>'api_key_id', true);
  END IF;
  v_row := read_opportunity(p_organization_id, v_id);
  IF v_change ? 'if_stored' THEN
    PERFORM check_if_stored(to_jsonb(v_row), v_change);
  END IF;
  IF change_opportunity(v_row, matched_opportunity_change(p_input)) THEN
    v_row := read_opportunity(p_organization_id, v_id);
    v_status := 'updated';
  END IF;
  IF p_input->>'on_match' = 'keep' THEN
    v_unapplied := unapplied_values(to_jsonb(v_row) - 'record', v_change);
    IF p_input->'account_change' ? 'account_domain'
       AND find_account_id(p_organization_id, p_input->>'account_domain') IS DISTINCT FROM v_row.account_id THEN
      v_unapplied := v_unapplied || '["account_domain"]';
    END IF;
  END IF;
  RETURN opportunity_result(v_row, v_status, v_unapplied);
END
$$;

-- p_input: {id, accounts, contacts, change}. The result has the amount and its currency if the change sets one of them.
CREATE OR REPLACE FUNCTION update_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_set jsonb := p_input->'change'->'set';
  v_old opportunities;
  v_result jsonb;
BEGIN
  PERFORM collect_rows(ensure_related(p_organization_id, ARRAY[p_input]));
  v_old := read_opportunity(p_organization_id, (p_input->>'id')::uuid);
  v_result := update_result(v_old.id, v_old.version, change_opportunity(v_old, p_input->'change'));
  IF v_set ?| '{amount,currency}' THEN
    v_result := v_result || (SELECT jsonb_build_object('amount', trim_scale(n.amount), 'currency', n.currency)
      FROM jsonb_populate_record(v_old, v_set) n);
  END IF;
  RETURN v_result;
END
$$;

-- p_input: {id, version, batch: {rows, bytes}}. First removes the opportunity from its notes, in several calls if there are many
-- (contact_deletion.sql).
CREATE OR REPLACE FUNCTION delete_opportunity(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_old opportunities := read_opportunity(p_organization_id, v_id);
BEGIN
  PERFORM check_version(v_old.version, p_input);
  PERFORM begin_change('exclusive');
  IF NOT detach_opportunity_notes(p_organization_id, v_id, p_input->'batch')
    OR NOT delete_results_of_record(p_organization_id, v_id, (p_input->'batch'->>'rows')::int) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  PERFORM collect_events(ARRAY[opportunity_deletion(v_old, additional_contact_ids(p_organization_id, v_id))]);
  DELETE FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = v_id;
  RETURN jsonb_build_object('id', v_id);
END
$$;
