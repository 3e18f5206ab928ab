-- Creates: one function per object takes all items of a call, and a single create is a call of one item. What the items create is inserted
-- with one statement per table, from arrays in the order of the keys (locks.sql). Items that find an existing record follow one by one, in
-- their order, because each of them may change what the next one finds.
--
-- Every function of this kind takes the inputs of the items, null for an item to leave out, and returns by their numbers:
--   answers     the results
--   refusals    what was refused. The caller then refuses the whole call, so it does not matter what the other items did
--   new_events  the events; `position` is the number of the item, plus p_before

-- Which items create a record: those whose keys no record and no earlier item has. An item that would create one but is refused leaves its
-- keys to the next item. Items after one that may give a found record other keys do not create, because they may need its old or new keys.
-- p_found: the record that an item finds. p_refusals: why an item must not create a record.
CREATE OR REPLACE FUNCTION creating_items(p_inputs jsonb[], p_keys text[], p_external_ids text[], p_found uuid[], p_refusals jsonb[]) RETURNS boolean[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_count int := cardinality(p_inputs);
  v_creating boolean[] := array_fill(false, ARRAY[v_count]);
  v_keys text[] := '{}';
  v_external_ids text[] := '{}';
BEGIN
  FOR n IN 1 .. v_count LOOP
    CONTINUE WHEN p_inputs[n] IS NULL;
    v_creating[n] := p_found[n] IS NULL AND p_keys[n] IS NOT NULL AND p_keys[n] <> ALL (v_keys)
      AND (p_external_ids[n] IS NULL OR p_external_ids[n] <> ALL (v_external_ids));
    CONTINUE WHEN v_creating[n] AND p_refusals[n] IS NOT NULL;
    EXIT WHEN NOT v_creating[n] AND p_external_ids[n] IS NOT NULL AND p_inputs[n]->>'on_match' = 'update';
    v_keys := v_keys || array_remove(ARRAY[p_keys[n]], NULL);
    v_external_ids := v_external_ids || array_remove(ARRAY[p_external_ids[n]], NULL);
  END LOOP;
  RETURN v_creating;
END
$$;

-- Inserts new records in the order of their keys. Returns the ids of those that it inserted: the keys of the others exist, because other calls
-- inserted them first. On Citus, only RETURNING says which ones: ROW_COUNT counts the rows of the SELECT there.
-- FOR objects=accounts key=domain
-- FOR objects=contacts key=email
-- FOR objects=opportunities key=pipeline_id,account_key,name
CREATE OR REPLACE FUNCTION insert_{objects}(p_rows {objects}[]) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
  v_ids uuid[] := '{}';
BEGIN
  FOR v_id IN
    INSERT INTO {objects} SELECT r.* FROM unnest(p_rows) r ORDER BY {r.key} ON CONFLICT (organization_id, {key}) DO NOTHING RETURNING id
  LOOP
    v_ids := v_ids || v_id;
  END LOOP;
  RETURN v_ids;
END
$$;

-- The events of a call without those of records of one kind that it did not insert (insert_<objects>). p_ids: those that it inserted.
CREATE OR REPLACE FUNCTION inserted_events(p_events events[], p_object text, p_ids uuid[]) RETURNS events[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(SELECT e FROM unnest(p_events) e WHERE e.object <> p_object OR e.record_id = ANY (p_ids));
END
$$;

-- The answers of items without those of records that the call did not insert (inserted_events).
CREATE OR REPLACE FUNCTION answers_of_events(p_answers jsonb[], p_events events[]) RETURNS jsonb[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT CASE WHEN (a.answer->>'id')::uuid = ANY (ARRAY(SELECT e.record_id FROM unnest(p_events) e)) THEN a.answer END
      FROM unnest(p_answers) WITH ORDINALITY a (answer, n) ORDER BY a.n);
END
$$;

-- Creates accounts or contacts, or finds those with the same external id, domain or email. An input: {change, on_match}, of an account
-- `defaults`, its columns if it is new, of a contact `account_domain`, and `accounts` as for ensure_related.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION create_{objects}(p_organization_id uuid, p_inputs jsonb[], p_before int, OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_count int := cardinality(p_inputs);
  v_now timestamptz;
  v_keys text[];
  v_external_ids text[];
  v_found uuid[];
  v_accounts uuid[];
  v_creating boolean[];
  v_row {objects};
  v_rows {objects}[] := '{}';
  v_inserted uuid[];
  v_written record;
BEGIN
  SELECT array_agg(s.key ORDER BY s.n), array_agg(s.external_id ORDER BY s.n), array_agg(not_stored_refusal(NULL, s.change) ORDER BY s.n),
         array_agg(coalesce(
           (SELECT r.id FROM {objects} r WHERE r.organization_id = p_organization_id AND r.external_id = s.external_id),
           (SELECT r.id FROM {objects} r WHERE r.organization_id = p_organization_id AND r.{key} = s.key),
           (SELECT l.{object}_id FROM {object}_aliases l WHERE l.organization_id = p_organization_id AND l.{key} = s.key)) ORDER BY s.n)
    INTO v_keys, v_external_ids, refusals, v_found
    FROM (SELECT i.n, i.input->'change' AS change, i.input->'change'->'set'->>'{key}' AS key, i.input->'change'->'set'->>'external_id' AS external_id
            FROM unnest(p_inputs) WITH ORDINALITY i (input, n)) s;
  v_creating := creating_items(p_inputs, v_keys, v_external_ids, v_found, refusals);
  new_events := ensure_related(p_organization_id,
    ARRAY(SELECT CASE WHEN v_creating[i.n] THEN i.input END FROM unnest(p_inputs) WITH ORDINALITY i (input, n) ORDER BY i.n), p_before);
  v_accounts := ARRAY(
    SELECT coalesce(
        (SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = s.domain),
        (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = s.domain))
      FROM (SELECT i.n, i.input->>'account_domain' AS domain FROM unnest(p_inputs) WITH ORDINALITY i (input, n)) s ORDER BY s.n);
  v_now := write_time();
  answers := array_fill(NULL::jsonb, ARRAY[v_count]);
  FOR n IN 1 .. v_count LOOP
    IF NOT v_creating[n] THEN
      refusals[n] := NULL;
    ELSIF refusals[n] IS NULL THEN
      v_row := new_{object}(p_organization_id, p_inputs[n], v_accounts[n]);
      v_row.id := new_id(v_now);
      v_row.created_at := v_now;
      v_row.updated_at := v_now;
      v_rows := v_rows || v_row;
      new_events := new_events || created_event(n + p_before, '{object}', {object}_event_record(v_row, '[]'));
      answers[n] := {object}_result(v_row, 'created', p_inputs[n]);
    END IF;
  END LOOP;
  IF cardinality(v_rows) > 0 THEN
    PERFORM begin_change('shared');
    v_inserted := insert_{objects}(v_rows);
    IF cardinality(v_inserted) < cardinality(v_rows) THEN
      new_events := inserted_events(new_events, '{object}', v_inserted);
      answers := answers_of_events(answers, new_events);
      FOR n IN 1 .. v_count LOOP
        v_found[n] := coalesce(v_found[n], find_{object}_id(p_organization_id, v_keys[n]));
      END LOOP;
    END IF;
  END IF;
  v_written := match_{objects}(p_organization_id, p_inputs, NULL, v_found, answers, refusals, new_events, p_before);
  answers := v_written.answers;
  refusals := v_written.refusals;
  new_events := v_written.new_events;
END
$$;

-- Runs the items of a create that have no answer yet: those that found a record, or whose keys an earlier item has. p_rows: of new
-- opportunities, the rows of the items. p_found: the records that other calls may change at the same time.
--
-- Under the shared lock, the items run first without locks of records, because most repeats change nothing. If an item needs to change its
-- record, all of these records are locked in the order of their ids, and the items run again.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
-- FOR object=note objects=notes
CREATE OR REPLACE FUNCTION match_{objects}(p_organization_id uuid, p_inputs jsonb[], p_rows {objects}[], p_found uuid[], p_answers jsonb[], p_refusals jsonb[], p_events events[], p_before int,
  OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_items int[] := ARRAY(SELECT i.n FROM unnest(p_inputs) WITH ORDINALITY i (input, n) WHERE i.input IS NOT NULL AND p_answers[i.n] IS NULL AND p_refusals[i.n] IS NULL ORDER BY i.n);
  v_is_shared boolean := current_setting('crm.lock', true) = 'shared';
  v_id uuid;
  v_written record;
BEGIN
  answers := p_answers;
  refusals := p_refusals;
  new_events := p_events;
  IF v_items = '{}' THEN
    RETURN;
  END IF;
  IF v_is_shared THEN
    BEGIN
      PERFORM set_config('crm.lock', '', true);
      v_written := match_{objects}_one_by_one(p_organization_id, p_inputs, p_rows, v_items, p_answers, p_refusals, p_events, p_before);
      PERFORM set_config('crm.lock', 'shared', true);
    EXCEPTION WHEN SQLSTATE 'CRM03' THEN
      IF SQLERRM = 'exclusive' THEN
        RAISE;
      END IF;
      FOR v_id IN SELECT DISTINCT p_found[i] FROM unnest(v_items) i ORDER BY 1 LOOP
        PERFORM 1 FROM {objects} r WHERE r.organization_id = p_organization_id AND r.id = v_id FOR NO KEY UPDATE;
      END LOOP;
    END;
  END IF;
  IF v_written IS NULL THEN
    v_written := match_{objects}_one_by_one(p_organization_id, p_inputs, p_rows, v_items, p_answers, p_refusals, p_events, p_before);
  END IF;
  answers := v_written.answers;
  refusals := v_written.refusals;
  new_events := v_written.new_events;
END
$$;

-- The loop of match_<objects>. An item whose record has other keys now creates one after all.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
-- FOR object=note objects=notes
CREATE OR REPLACE FUNCTION match_{objects}_one_by_one(p_organization_id uuid, p_inputs jsonb[], p_rows {objects}[], p_items int[], p_answers jsonb[], p_refusals jsonb[], p_events events[], p_before int,
  OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_item int;
  v_written record;
BEGIN
  answers := p_answers;
  refusals := p_refusals;
  new_events := p_events;
  FOREACH v_item IN ARRAY p_items LOOP
    BEGIN
      answers[v_item] := match_{object}(p_organization_id, p_inputs[v_item], p_rows[v_item]);
      new_events := new_events || take_events(v_item + p_before);
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      refusals[v_item] := SQLERRM;
      CONTINUE;
    END;
    IF answers[v_item] IS NULL THEN
      v_written := create_{objects}(p_organization_id, ARRAY[p_inputs[v_item]], v_item + p_before - 1);
      answers[v_item] := v_written.answers[1];
      refusals[v_item] := v_written.refusals[1];
      new_events := new_events || v_written.new_events;
    END IF;
  END LOOP;
END
$$;

-- Creates records with the function of their object. First replaces the external ids of links in the inputs.
CREATE OR REPLACE FUNCTION create_records(p_organization_id uuid, p_function text, p_inputs jsonb[], OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_inputs jsonb[] := p_inputs;
  v_refusals jsonb[] := array_fill(NULL::jsonb, ARRAY[cardinality(p_inputs)]);
  v_has_parts boolean := false;
  v_written record;
BEGIN
  FOR n IN 1 .. cardinality(p_inputs) LOOP
    v_has_parts := v_has_parts OR p_inputs[n] ?| '{primary_contact,note}';
    IF p_inputs[n] ? 'links' THEN
      BEGIN
        v_inputs[n] := resolve_links(p_organization_id, p_inputs[n]);
      EXCEPTION WHEN SQLSTATE 'CRM01' THEN
        v_refusals[n] := SQLERRM;
        v_inputs[n] := NULL;
      END;
    END IF;
  END LOOP;
  CASE p_function
    WHEN 'create_account' THEN v_written := create_accounts(p_organization_id, v_inputs, 0);
    WHEN 'create_contact' THEN v_written := create_contacts(p_organization_id, v_inputs, 0);
    WHEN 'create_opportunity' THEN
      IF v_has_parts THEN
        v_written := create_opportunities_with_parts(p_organization_id, v_inputs);
      ELSE
        v_written := create_opportunities(p_organization_id, v_inputs, 0);
      END IF;
    WHEN 'create_note' THEN v_written := create_notes(p_organization_id, v_inputs, 0);
  END CASE;
  answers := v_written.answers;
  refusals := ARRAY(SELECT coalesce(r.own, r.of_create) FROM unnest(v_refusals, v_written.refusals) WITH ORDINALITY r (own, of_create, n) ORDER BY r.n);
  new_events := v_written.new_events;
END
$$;
