-- Notes: creating, changing and deleting them, and the records that they are attached to.

-- The records that a note is linked to: {account_ids, contact_ids, opportunity_ids}, each in id order.
CREATE OR REPLACE FUNCTION note_links(p_organization_id uuid, p_note_id uuid) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN jsonb_build_object(
    'account_ids', ARRAY(
      SELECT l.account_id FROM note_accounts l WHERE l.organization_id = p_organization_id AND l.note_id = p_note_id ORDER BY l.account_id),
    'contact_ids', ARRAY(
      SELECT l.contact_id FROM note_contacts l WHERE l.organization_id = p_organization_id AND l.note_id = p_note_id ORDER BY l.contact_id),
    'opportunity_ids', ARRAY(
      SELECT l.opportunity_id FROM note_opportunities l WHERE l.organization_id = p_organization_id AND l.note_id = p_note_id
       ORDER BY l.opportunity_id));
END
$$;

-- The text that `q` searches.
CREATE OR REPLACE FUNCTION note_search_text(p_normalized_title text, p_normalized_content text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN concat_ws(' ', p_normalized_title, p_normalized_content);
END
$$;

-- The normalized content of a note: the part of search_text after the title.
CREATE OR REPLACE FUNCTION normalized_note_content(p_note notes) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE WHEN p_note.content IS NOT NULL THEN substr(p_note.search_text, coalesce(length(p_note.normalized_title) + 2, 1)) END;
END
$$;

-- The values of a create that a stored note does not have, by their names in the request: {title, content, account_domains,
-- contact_emails, opportunity_ids}. p_input: that of create_note.
CREATE OR REPLACE FUNCTION unapplied_note_values(p_organization_id uuid, p_note notes, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_links jsonb := note_links(p_organization_id, p_note.id);
  v_accounts jsonb := (SELECT jsonb_agg(find_account_id(p_organization_id, d)) FROM jsonb_array_elements_text(p_input->'account_domains') d);
  v_contacts jsonb := (SELECT jsonb_agg(find_contact_id(p_organization_id, e)) FROM jsonb_array_elements_text(p_input->'contact_emails') e);
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(u.name), '[]') FROM (VALUES
    ('title', p_input->>'title' IS NULL OR p_input->>'title' = p_note.title),
    ('content', p_input->>'content' IS NULL OR p_input->>'content' = p_note.content),
    ('account_domains', v_links->'account_ids' @> coalesce(v_accounts, '[]')),
    ('contact_emails', v_links->'contact_ids' @> coalesce(v_contacts, '[]')),
    ('opportunity_ids', v_links->'opportunity_ids' @> (p_input->'opportunity_ids'))) AS u (name, is_stored) WHERE u.is_stored IS NOT TRUE);
END
$$;

-- The result of a create with an id that a note has; null if no note has it. p_row is not used: see match_<objects>.
CREATE OR REPLACE FUNCTION match_note(p_organization_id uuid, p_input jsonb, p_row notes) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
  v_note notes;
BEGIN
  SELECT * INTO v_note FROM notes n WHERE n.organization_id = p_organization_id AND n.id = v_id;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  RETURN jsonb_build_object('id', v_note.id, 'title', v_note.title, 'content', v_note.content, 'version', v_note.version, 'record_status', 'matched',
    'unapplied', unapplied_note_values(p_organization_id, v_note, p_input)) || note_links(p_organization_id, v_id);
END
$$;

-- What would refuse new notes, in the order of their items: the id of a deleted note, as long as the change log has its deletion, because a
-- copy that is made again must not bring back what was erased; or ids of opportunities that do not exist, by their places counted from 0.
CREATE OR REPLACE FUNCTION note_refusals(p_organization_id uuid, p_inputs jsonb[]) RETURNS jsonb[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_deleted boolean[] := ARRAY(
    SELECT EXISTS (SELECT 1 FROM events e
      WHERE e.organization_id = p_organization_id AND e.object = 'note' AND e.record_id = (i.input->>'id')::uuid AND e.type = 'note.deleted')
      FROM unnest(p_inputs) WITH ORDINALITY i (input, n) ORDER BY i.n);
  v_unknown jsonb[] := ARRAY(
    SELECT (SELECT jsonb_agg(o.place - 1 ORDER BY o.place) FROM jsonb_array_elements_text(i.input->'opportunity_ids') WITH ORDINALITY o (id, place)
             WHERE (SELECT r.id FROM opportunities r WHERE r.organization_id = p_organization_id AND r.id = o.id::uuid) IS NULL)
      FROM unnest(p_inputs) WITH ORDINALITY i (input, n) ORDER BY i.n);
BEGIN
  RETURN ARRAY(
    SELECT CASE WHEN u.is_deleted THEN refusal_of('note_deleted')
                WHEN u.places IS NOT NULL THEN refusal_of('unknown_opportunities', jsonb_build_object('places', u.places)) END
      FROM unnest(v_deleted, v_unknown) WITH ORDINALITY u (is_deleted, places, n) ORDER BY u.n);
END
$$;

-- The records that new notes are linked to, in the form of note_links, for each item that is not null.
CREATE OR REPLACE FUNCTION links_of_notes(p_organization_id uuid, p_inputs jsonb[]) RETURNS TABLE (n int, input jsonb, links jsonb) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN QUERY
  SELECT i.n::int, i.input, jsonb_build_object(
      'account_ids', ARRAY(
        SELECT DISTINCT coalesce(
            (SELECT r.id FROM accounts r WHERE r.organization_id = p_organization_id AND r.domain = d),
            (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = d))
          FROM jsonb_array_elements_text(i.input->'account_domains') d ORDER BY 1),
      'contact_ids', ARRAY(
        SELECT DISTINCT coalesce(
            (SELECT r.id FROM contacts r WHERE r.organization_id = p_organization_id AND r.email = e),
            (SELECT l.contact_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = e))
          FROM jsonb_array_elements_text(i.input->'contact_emails') e ORDER BY 1),
      'opportunity_ids', ARRAY(SELECT DISTINCT o::uuid FROM jsonb_array_elements_text(i.input->'opportunity_ids') o ORDER BY 1))
    FROM unnest(p_inputs) WITH ORDINALITY i (input, n) WHERE i.input IS NOT NULL ORDER BY i.n;
END
$$;

-- Creates notes. An input: {id: by default a new one, accounts, contacts, account_domains, contact_emails, opportunity_ids, title, content,
-- normalized: {title, content}}. If a note has the id, finds it unchanged. With an id, the call has the exclusive lock, so that two creates
-- with one id create one note.
CREATE OR REPLACE FUNCTION create_notes(p_organization_id uuid, p_inputs jsonb[], p_before int, OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_keys text[];
  v_found uuid[];
  v_now timestamptz;
  v_item record;
  v_new notes;
  v_notes notes[] := '{}';
  v_creating boolean[];
  v_written record;
BEGIN
  answers := array_fill(NULL::jsonb, ARRAY[cardinality(p_inputs)]);
  SELECT array_agg(coalesce(i.input->>'id', i.n::text) ORDER BY i.n),
         array_agg((SELECT r.id FROM notes r WHERE r.organization_id = p_organization_id AND r.id = (i.input->>'id')::uuid) ORDER BY i.n)
    INTO v_keys, v_found FROM unnest(p_inputs) WITH ORDINALITY i (input, n);
  refusals := note_refusals(p_organization_id, p_inputs);
  v_creating := creating_items(p_inputs, v_keys, '{}', v_found, refusals);
  refusals := ARRAY(SELECT CASE WHEN v_creating[r.n] THEN r.refusal END FROM unnest(refusals) WITH ORDINALITY r (refusal, n) ORDER BY r.n);
  new_events := ensure_related(p_organization_id,
    ARRAY(SELECT CASE WHEN v_creating[i.n] AND refusals[i.n] IS NULL THEN i.input END FROM unnest(p_inputs) WITH ORDINALITY i (input, n) ORDER BY i.n), p_before);
  v_now := write_time();
  FOR v_item IN SELECT * FROM links_of_notes(p_organization_id, p_inputs) LOOP
    CONTINUE WHEN NOT v_creating[v_item.n] OR refusals[v_item.n] IS NOT NULL;
    v_new := NULL;
    v_new.organization_id := p_organization_id;
    v_new.id := coalesce((v_item.input->>'id')::uuid, new_id(v_now));
    v_new.title := v_item.input->>'title';
    v_new.content := v_item.input->>'content';
    v_new.normalized_title := v_item.input->'normalized'->>'title';
    v_new.search_text := note_search_text(v_new.normalized_title, v_item.input->'normalized'->>'content');
    v_new.created_at := v_now;
    v_new.updated_at := v_now;
    v_new.version := 1;
    v_notes := v_notes || v_new;
    new_events := new_events || created_event(v_item.n + p_before, 'note', note_event_record(v_new, v_item.links));
    answers[v_item.n] := jsonb_build_object('id', v_new.id, 'title', v_new.title, 'content', v_new.content, 'version', 1, 'record_status', 'created')
      || v_item.links;
  END LOOP;
  IF cardinality(v_notes) > 0 THEN
    PERFORM begin_change('shared');
    INSERT INTO notes SELECT r.* FROM unnest(v_notes) r;
    INSERT INTO note_accounts (organization_id, note_id, account_id)
      SELECT p_organization_id, e.record_id, l::uuid FROM unnest(new_events) e, jsonb_array_elements_text(e.record->'account_ids') l WHERE e.object = 'note';
    INSERT INTO note_contacts (organization_id, note_id, contact_id)
      SELECT p_organization_id, e.record_id, l::uuid FROM unnest(new_events) e, jsonb_array_elements_text(e.record->'contact_ids') l WHERE e.object = 'note';
    INSERT INTO note_opportunities (organization_id, note_id, opportunity_id)
      SELECT p_organization_id, e.record_id, l::uuid FROM unnest(new_events) e, jsonb_array_elements_text(e.record->'opportunity_ids') l WHERE e.object = 'note';
  END IF;
  v_written := match_notes(p_organization_id, p_inputs, NULL, v_found, answers, refusals, new_events, p_before);
  answers := v_written.answers;
  refusals := v_written.refusals;
  new_events := v_written.new_events;
END
$$;

-- Increments the version of a note, sets updated_at and returns the note.
CREATE OR REPLACE FUNCTION touch_note(p_note notes) RETURNS notes LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new notes := p_note;
BEGIN
  v_new.updated_at := greatest(write_time(), p_note.updated_at);
  v_new.version := p_note.version + 1;
  UPDATE notes n SET updated_at = v_new.updated_at, version = v_new.version
    WHERE n.organization_id = v_new.organization_id AND n.id = v_new.id;
  RETURN v_new;
END
$$;

-- p_input: {id, version, set: the texts that change, normalized: their normalized texts}. Refuses a change that removes both title and
-- content.
CREATE OR REPLACE FUNCTION update_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old notes := read_note(p_organization_id, (p_input->>'id')::uuid);
  v_new notes;
  v_links jsonb;
BEGIN
  PERFORM check_version(v_old.version, p_input);
  v_new := jsonb_populate_record(v_old, p_input->'set');
  IF v_new.title IS NULL AND v_new.content IS NULL THEN
    PERFORM refuse('empty_note');
  END IF;
  IF v_new IS NOT DISTINCT FROM v_old THEN
    RETURN jsonb_build_object('id', v_old.id, 'record_status', 'matched');
  END IF;
  PERFORM begin_change('shared');
  IF p_input->'set' ? 'title' THEN
    v_new.normalized_title := p_input->'normalized'->>'title';
  END IF;
  v_new.search_text := note_search_text(v_new.normalized_title,
    CASE WHEN p_input->'set' ? 'content' THEN p_input->'normalized'->>'content' ELSE normalized_note_content(v_old) END);
  UPDATE notes n SET title = v_new.title, content = v_new.content, normalized_title = v_new.normalized_title, search_text = v_new.search_text
    WHERE n.organization_id = p_organization_id AND n.id = v_new.id;
  v_new := touch_note(v_new);
  v_links := note_links(p_organization_id, v_old.id);
  PERFORM collect_events(ARRAY[change_event('note', note_event_record(v_old, v_links), note_event_record(v_new, v_links))]);
  RETURN jsonb_build_object('id', v_old.id, 'record_status', 'updated');
END
$$;

-- p_input: {id, version, batch: {rows, bytes, erased}}. Deletes a note, but not the records that it is linked to. Also erases the values in
-- its events, because a note is free text about people.
CREATE OR REPLACE FUNCTION delete_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old notes := read_note(p_organization_id, (p_input->>'id')::uuid);
  v_erased jsonb;
BEGIN
  PERFORM check_version(v_old.version, p_input);
  PERFORM begin_change('exclusive');
  IF NOT delete_results_of_record(p_organization_id, v_old.id, (p_input->'batch'->>'rows')::int) THEN
    RETURN unfinished_deletion(p_input);
  END IF;
  v_erased := erase_events(p_organization_id, 'note', ARRAY[v_old.id], p_input->'batch');
  IF v_erased IS NOT NULL THEN
    RETURN unfinished_deletion(p_input, v_erased);
  END IF;
  DELETE FROM notes n WHERE n.organization_id = p_organization_id AND n.id = v_old.id;
  PERFORM collect_events(ARRAY[erasure_event('note', v_old.id, v_old.version)]);
  RETURN jsonb_build_object('id', v_old.id);
END
$$;

-- The notes on a record; at most p_limit.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
CREATE OR REPLACE FUNCTION {object}_note_ids(p_organization_id uuid, p_id uuid, p_limit int) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(SELECT l.note_id FROM note_{objects} l WHERE l.organization_id = p_organization_id AND l.{object}_id = p_id LIMIT p_limit);
END
$$;

-- Removes a record from a batch of its notes. Returns false if more notes may be left. p_batch: {rows, bytes}, see contact_deletion.sql.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
CREATE OR REPLACE FUNCTION detach_{object}_notes(p_organization_id uuid, p_id uuid, p_batch jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_rows int := p_batch->'rows';
  v_bytes bigint := p_batch->'bytes';
  v_ids uuid[] := {object}_note_ids(p_organization_id, p_id, v_rows);
  v_done uuid[] := '{}';
  v_id uuid;
  v_note notes;
  v_links jsonb;
  v_event text;
  v_events text[] := '{}';
BEGIN
  FOR v_id IN SELECT i FROM unnest(v_ids) i ORDER BY i LOOP
    EXIT WHEN v_bytes <= 0;
    v_done := v_done || v_id;
    SELECT * INTO v_note FROM notes n WHERE n.organization_id = p_organization_id AND n.id = v_id;
    v_links := note_links(p_organization_id, v_note.id);
    v_event := change_event('note', note_event_record(v_note, v_links),
      note_event_record(touch_note(v_note), v_links || jsonb_build_object('{object}_ids', (v_links->'{object}_ids') - p_id::text)));
    v_events := v_events || v_event;
    v_bytes := v_bytes - octet_length(v_event);
  END LOOP;
  DELETE FROM note_{objects} l WHERE l.organization_id = p_organization_id AND l.{object}_id = p_id AND l.note_id = ANY (v_done);
  PERFORM collect_events(v_events);
  RETURN (cardinality(v_ids) >= v_rows OR v_bytes <= 0) IS NOT TRUE;
END
$$;

-- Replaces the record p_from_id by p_to_id on its notes, and returns the events. The links of p_from_id disappear when the caller deletes
-- that record.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
CREATE OR REPLACE FUNCTION move_{object}_notes(p_organization_id uuid, p_from_id uuid, p_to_id uuid) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[] := {object}_note_ids(p_organization_id, p_from_id, NULL);
  v_id uuid;
  v_note notes;
  v_links jsonb;
  v_moved jsonb;
  v_events text[] := '{}';
BEGIN
  FOR v_id IN SELECT i FROM unnest(v_ids) i ORDER BY i LOOP
    SELECT * INTO v_note FROM notes n WHERE n.organization_id = p_organization_id AND n.id = v_id;
    v_links := note_links(p_organization_id, v_note.id);
    v_moved := (SELECT jsonb_agg(i ORDER BY i COLLATE "C") FROM (
      SELECT DISTINCT CASE i WHEN p_from_id::text THEN p_to_id::text ELSE i END AS i FROM jsonb_array_elements_text(v_links->'{object}_ids') i) m);
    v_events := v_events || change_event('note', note_event_record(v_note, v_links),
      note_event_record(touch_note(v_note), v_links || jsonb_build_object('{object}_ids', v_moved)));
  END LOOP;
  INSERT INTO note_{objects} (organization_id, note_id, {object}_id) SELECT p_organization_id, i, p_to_id FROM unnest(v_ids) i
    ON CONFLICT (organization_id, note_id, {object}_id) DO NOTHING;
  RETURN v_events;
END
$$;
