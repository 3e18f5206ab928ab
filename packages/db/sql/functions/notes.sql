-- Notes: creating, changing and deleting them, and the records that they are attached to.

-- Refuses ids of opportunities that do not exist. The refusal lists their places, counted from 0.
CREATE OR REPLACE FUNCTION check_opportunities_exist(p_organization_id uuid, p_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_found uuid[] := ARRAY(SELECT o.id FROM opportunities_of_ids(p_organization_id, p_ids) o);
BEGIN
  IF NOT p_ids <@ v_found THEN
    PERFORM refuse('unknown_opportunities', jsonb_build_object('places', (
      SELECT jsonb_agg(i.place - 1 ORDER BY i.place) FROM unnest(p_ids) WITH ORDINALITY AS i (id, place) WHERE i.id <> ALL (v_found))));
  END IF;
END
$$;

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

-- The result of a create with an id that a note has; null if no note has it. Refuses the id of a deleted note, as long as the change log
-- has its deletion: a copy that is made again must not bring back what was erased.
CREATE OR REPLACE FUNCTION note_of_id(p_organization_id uuid, p_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_note notes;
BEGIN
  SELECT * INTO v_note FROM notes n WHERE n.organization_id = p_organization_id AND n.id = p_id;
  IF FOUND THEN
    RETURN jsonb_build_object('id', v_note.id, 'title', v_note.title, 'content', v_note.content, 'record_status', 'matched',
      'unapplied', unapplied_note_values(p_organization_id, v_note, p_input));
  END IF;
  PERFORM 1 FROM events e
    WHERE e.organization_id = p_organization_id AND e.object = 'note' AND e.record_id = p_id AND e.type = 'note.deleted' LIMIT 1;
  IF FOUND THEN
    PERFORM refuse('note_deleted');
  END IF;
  RETURN NULL;
END
$$;

-- p_input: {id: by default a new one, accounts, contacts, account_domains, contact_emails, opportunity_ids, title, content,
-- normalized: {title, content}}. If a note has the id, returns it unchanged. With an id, the create takes the exclusive lock, so that two
-- creates with one id create one note.
CREATE OR REPLACE FUNCTION create_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new notes;
  v_id uuid := p_input->>'id';
  v_found jsonb := CASE WHEN v_id IS NOT NULL THEN note_of_id(p_organization_id, v_id, p_input) END;
  v_opportunity_ids uuid[] := ARRAY(SELECT o.id::uuid FROM jsonb_array_elements_text(p_input->'opportunity_ids') AS o (id));
  v_target_id uuid;
BEGIN
  IF v_found IS NOT NULL THEN
    RETURN v_found;
  END IF;
  PERFORM begin_change(CASE WHEN v_id IS NULL THEN 'shared' ELSE 'exclusive' END);
  PERFORM check_opportunities_exist(p_organization_id, v_opportunity_ids);
  PERFORM ensure_related(p_organization_id, p_input->'accounts', p_input->'contacts');
  v_new.organization_id := p_organization_id;
  v_new.created_at := write_time();
  v_new.id := coalesce(v_id, new_id(v_new.created_at));
  v_new.title := p_input->>'title';
  v_new.content := p_input->>'content';
  v_new.normalized_title := p_input->'normalized'->>'title';
  v_new.search_text := note_search_text(v_new.normalized_title, p_input->'normalized'->>'content');
  v_new.updated_at := v_new.created_at;
  v_new.version := 1;
  INSERT INTO notes VALUES (v_new.*);
  FOR v_target_id IN SELECT DISTINCT find_account_id(p_organization_id, d) FROM jsonb_array_elements_text(p_input->'account_domains') d LOOP
    INSERT INTO note_accounts (organization_id, note_id, account_id) VALUES (p_organization_id, v_new.id, v_target_id);
  END LOOP;
  FOR v_target_id IN SELECT DISTINCT find_contact_id(p_organization_id, e) FROM jsonb_array_elements_text(p_input->'contact_emails') e LOOP
    INSERT INTO note_contacts (organization_id, note_id, contact_id) VALUES (p_organization_id, v_new.id, v_target_id);
  END LOOP;
  FOR v_target_id IN SELECT DISTINCT o FROM unnest(v_opportunity_ids) o LOOP
    INSERT INTO note_opportunities (organization_id, note_id, opportunity_id) VALUES (p_organization_id, v_new.id, v_target_id);
  END LOOP;
  PERFORM collect_events(ARRAY[creation_event('note', 'created', note_event_record(v_new, note_links(p_organization_id, v_new.id)))]);
  RETURN jsonb_build_object('id', v_new.id, 'title', v_new.title, 'content', v_new.content, 'record_status', 'created');
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
