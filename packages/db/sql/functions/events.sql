-- The change log. `write` appends the events of a call after all other changes. It takes the next positions of the organization just before
-- it inserts the events. So other calls wait for the counter only during the insert and the commit.
--
-- Creates return their events as rows of the table. Everything else collects them as JSON text in the setting `crm.events`, separated by
-- commas: {type, object, record_id, version, record, previous, changed, is_erased, merged_with, visits}. The setting ends with the transaction. A
-- subtransaction that is rolled back restores its earlier value, so a refused item of a bulk call leaves no event. Loops collect into an
-- array first, because every addition to the setting copies it.

-- Adds events to the collected events of this transaction.
CREATE OR REPLACE FUNCTION collect_events(p_events text[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_events <> '{}' THEN
    PERFORM set_config('crm.events', concat_ws(',', nullif(current_setting('crm.events', true), ''), nullif(array_to_string(p_events, ','), '')), true);
  END IF;
END
$$;

-- Adds the events of created records, as rows, to the collected events.
CREATE OR REPLACE FUNCTION collect_rows(p_events events[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM collect_events(ARRAY(SELECT creation_event(e.object, 'created', e.record) FROM unnest(p_events) e));
END
$$;

-- Returns the collected events as rows and empties the collection. p_item: the number of their item, which becomes their `position`.
CREATE OR REPLACE FUNCTION take_events(p_item int DEFAULT NULL) RETURNS events[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_events jsonb := ('[' || coalesce(current_setting('crm.events', true), '') || ']')::jsonb;
BEGIN
  IF v_events = '[]' THEN
    RETURN '{}';
  END IF;
  PERFORM set_config('crm.events', '', true);
  RETURN ARRAY(
    SELECT jsonb_populate_record(NULL::events, e || jsonb_build_object('position', p_item,
             'bytes', octet_length((CASE WHEN e ? 'visits' THEN e - 'visits' ELSE e END)::text)))
      FROM jsonb_array_elements(v_events) e);
END
$$;

-- Advances the counter of an organization by p_count events with p_bytes. Returns the new position, and the time of the events: p_time, or
-- that of the last event if it is later. So occurred_at has the order of the positions, even if the clock goes back. The row stays locked
-- until the transaction ends.
CREATE OR REPLACE FUNCTION next_event_position(p_organization_id uuid, p_count int, p_bytes int, p_time timestamptz, OUT new_position bigint, OUT event_time timestamptz)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE event_heads h SET position = h.position + p_count, bytes = h.bytes + p_bytes, occurred_at = greatest(h.occurred_at, p_time)
    WHERE h.organization_id = p_organization_id RETURNING h.position, h.occurred_at INTO new_position, event_time;
  IF NOT FOUND THEN
    INSERT INTO event_heads AS h (organization_id, position, oldest_position, bytes, occurred_at) VALUES (p_organization_id, p_count, 1, p_bytes, p_time)
    ON CONFLICT (organization_id) DO UPDATE
      SET position = h.position + excluded.position, bytes = h.bytes + excluded.bytes, occurred_at = greatest(h.occurred_at, excluded.occurred_at)
    RETURNING h.position, h.occurred_at INTO new_position, event_time;
  END IF;
END
$$;

-- Gives the records of events a later updated_at, and returns the events with it. append_events calls it only for writes that have waited
-- for seconds, because it writes every row again.
CREATE OR REPLACE FUNCTION delay_events(p_organization_id uuid, p_events events[], p_time timestamptz) RETURNS events[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_instant jsonb := to_jsonb(event_instant(p_time));
  v_event events;
  v_events events[] := '{}';
BEGIN
  FOREACH v_event IN ARRAY p_events LOOP
    IF v_event.record IS NOT NULL THEN
      CASE v_event.object
        WHEN 'account' THEN UPDATE accounts r SET updated_at = p_time WHERE r.organization_id = p_organization_id AND r.id = v_event.record_id;
        WHEN 'contact' THEN UPDATE contacts r SET updated_at = p_time WHERE r.organization_id = p_organization_id AND r.id = v_event.record_id;
        WHEN 'opportunity' THEN PERFORM delay_opportunity(p_organization_id, v_event, p_time);
        WHEN 'note' THEN UPDATE notes r SET updated_at = p_time WHERE r.organization_id = p_organization_id AND r.id = v_event.record_id;
      END CASE;
      v_event.record := jsonb_set(v_event.record, '{updated_at}', v_instant);
    END IF;
    v_events := v_events || v_event;
  END LOOP;
  RETURN v_events;
END
$$;

-- What differs between the record in an event and that in an earlier one: keys, and custom fields by slug. A custom field that has no value
-- any more is null.
CREATE OR REPLACE FUNCTION event_record_changes(p_base jsonb, p_record jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_custom jsonb := (
    SELECT jsonb_object_agg(k.slug, p_record->'custom_fields'->k.slug)
      FROM jsonb_object_keys((p_base->'custom_fields') || (p_record->'custom_fields')) AS k (slug)
     WHERE p_base->'custom_fields'->k.slug IS DISTINCT FROM p_record->'custom_fields'->k.slug);
BEGIN
  RETURN coalesce((SELECT jsonb_object_agg(n.key, n.value) FROM jsonb_each(p_record - 'custom_fields') n WHERE p_base->n.key IS DISTINCT FROM n.value), '{}')
    || CASE WHEN v_custom IS NULL THEN '{}' ELSE jsonb_build_object('custom_fields', v_custom) END;
END
$$;

-- The record from which event_record_changes made p_changes; null if the values of the earlier event were erased.
CREATE OR REPLACE FUNCTION changed_event_record(p_base jsonb, p_changes jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  v_custom jsonb := p_changes->'custom_fields';
BEGIN
  IF v_custom IS NULL THEN
    RETURN p_base || p_changes;
  END IF;
  RETURN p_base || p_changes || jsonb_build_object('custom_fields',
    ((p_base->'custom_fields') || v_custom) - ARRAY(SELECT c.key FROM jsonb_each(v_custom) c WHERE c.value = 'null'));
END
$$;

-- How to store the record of a large event in fewer bytes: {position, changes} refers to an earlier event of the record, which holds all of
-- its values. Null if the event needs all values itself. Only an event of the same week is used, because both then expire together.
CREATE OR REPLACE FUNCTION event_reference(p_organization_id uuid, p_event events, p_at timestamptz) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_base events;
  v_changes jsonb;
BEGIN
  SELECT e.* INTO v_base FROM events e
    WHERE e.organization_id = p_organization_id AND e.object = p_event.object AND e.record_id = p_event.record_id
      AND e.occurred_at >= event_week(p_at)
    ORDER BY e.position DESC LIMIT 1;
  IF v_base.base_position IS NOT NULL THEN
    SELECT e.* INTO v_base FROM events e
      WHERE e.organization_id = p_organization_id AND e.position = v_base.base_position AND e.occurred_at >= event_week(p_at);
  END IF;
  IF v_base.record IS NULL OR p_event.record IS NULL THEN
    RETURN NULL;
  END IF;
  v_changes := event_record_changes(v_base.record, p_event.record);
  RETURN CASE WHEN octet_length(v_changes::text) * 2 <= octet_length(v_base.record::text)
    THEN jsonb_build_object('position', v_base.position, 'changes', v_changes) END;
END
$$;

-- Appends events in the order of their items, which are in `position`. p_origin: {request_id, api_key_id, traceparent}, or null if they are
-- unknown, or in the events.
CREATE OR REPLACE FUNCTION append_events(p_organization_id uuid, p_origin jsonb, p_events events[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_events events[] := p_events;
  v_count int := cardinality(p_events);
  v_request_id text := p_origin->>'request_id';
  v_api_key_id uuid := p_origin->>'api_key_id';
  v_traceparent text := p_origin->>'traceparent';
  v_time timestamptz := write_time();
  -- No change of this transaction is earlier.
  v_first timestamptz := least(now(), v_time);
  v_before bigint;
  v_now timestamptz;
  -- How much earlier than occurred_at of an earlier event updated_at may be (docs/decisions/0030-order-of-times.md).
  v_longest_delay constant interval := '5 seconds';
  -- Smaller events are stored whole, because finding an earlier one would take longer.
  v_large constant int := 4096;
  v_place record;
  v_event events;
  v_reference jsonb;
BEGIN
  IF v_count IS NULL OR v_count = 0 THEN
    RETURN;
  END IF;
  PERFORM store_timeline();
  SELECT n.new_position - v_count, n.event_time INTO v_before, v_now
    FROM next_event_position(p_organization_id, v_count, (SELECT sum(e.bytes) + v_count - 1 FROM unnest(p_events) e)::int, v_time) n;
  -- With the exclusive lock, nothing else has committed since the first change, but the clock may be slow.
  IF v_now - v_first > v_longest_delay AND (v_now > v_time OR current_setting('crm.lock', true) = 'shared') THEN
    v_events := delay_events(p_organization_id, v_events, v_now);
  END IF;
  -- A new record has no earlier event.
  FOR v_place IN SELECT e.ordinality AS n FROM unnest(v_events) WITH ORDINALITY e WHERE e.bytes > v_large AND e.type NOT LIKE '%.created' LOOP
    v_event := v_events[v_place.n];
    v_reference := event_reference(p_organization_id, v_event, v_now);
    IF v_reference IS NOT NULL THEN
      v_event.record := v_reference->'changes';
      v_event.base_position := v_reference->'position';
      v_events[v_place.n] := v_event;
    END IF;
  END LOOP;
  INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, request_id, api_key_id, traceparent, record, previous, changed,
                      is_erased, merged_with, base_position, bytes, visits)
    SELECT p_organization_id, v_before + row_number() OVER (ORDER BY e.position, e.ordinality), v_now, new_id(v_now), e.type, e.object, e.record_id,
           e.version, coalesce(v_request_id, e.request_id), coalesce(v_api_key_id, e.api_key_id), coalesce(v_traceparent, e.traceparent), e.record, e.previous, coalesce(e.changed, '{}'),
           coalesce(e.is_erased, false), e.merged_with, e.base_position, e.bytes, e.visits
      FROM unnest(v_events) WITH ORDINALITY e;
END
$$;

-- Erases the values of records from their retained events. The events and their positions stay. Ends after a batch. Returns null if no event
-- is left, or what the next call needs: {id: last position}. Other calls may append events between two calls. The caller holds the lock of
-- the record, so no event of it is appended after the last call. p_batch: {rows, bytes, erased: the result of the previous call}.
CREATE OR REPLACE FUNCTION erase_events(p_organization_id uuid, p_object text, p_ids uuid[], p_batch jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  -- A JSON null if the calls so far only removed the record from others.
  v_erased jsonb := coalesce(nullif(p_batch->'erased', 'null'), '{}');
  v_rows int := p_batch->'rows';
  v_bytes bigint := p_batch->'bytes';
  v_id uuid;
  v_after bigint;
  v_last bigint;
  v_event record;
BEGIN
  FOREACH v_id IN ARRAY p_ids LOOP
    v_after := coalesce((v_erased->>v_id::text)::bigint, 0);
    v_last := v_after;
    FOR v_event IN
      SELECT e.position, coalesce(pg_column_size(e.record), 0) + coalesce(pg_column_size(e.previous), 0) AS bytes FROM events e
       WHERE e.organization_id = p_organization_id AND e.object = p_object AND e.record_id = v_id AND e.position > v_after
       ORDER BY e.position LIMIT v_rows
    LOOP
      v_last := v_event.position;
      v_rows := v_rows - 1;
      v_bytes := v_bytes - v_event.bytes;
      EXIT WHEN v_bytes <= 0;
    END LOOP;
    UPDATE events e SET record = NULL, previous = NULL, changed = '{}', is_erased = true, base_position = NULL, bytes = 0
      WHERE e.organization_id = p_organization_id AND e.object = p_object AND e.record_id = v_id
        AND e.position > v_after AND e.position <= v_last AND NOT e.is_erased;
    -- A receiver's answer may repeat values of the record. A worker that stores an answer holds the lock of its endpoint: it has stored the
    -- answer before this deletion, or it finds the erased event afterwards.
    PERFORM 1 FROM webhook_endpoints w WHERE w.organization_id = p_organization_id ORDER BY w.id FOR UPDATE;
    DELETE FROM webhook_attempts a WHERE a.organization_id = p_organization_id AND a.record_id = v_id;
    v_erased := v_erased || jsonb_build_object(v_id, v_last);
    IF v_rows = 0 OR v_bytes <= 0 THEN
      RETURN v_erased;
    END IF;
  END LOOP;
  RETURN NULL;
END
$$;

-- The result of a deletion that has not reached its end. p_erased: the result of erase_events, or null.
CREATE OR REPLACE FUNCTION unfinished_deletion(p_input jsonb, p_erased jsonb DEFAULT NULL) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_input->'id', 'is_deleted', false, 'erased', coalesce(p_erased, p_input->'batch'->'erased'));
END
$$;

-- The timeline of a primary. A promotion or a recovery to an earlier point begins a new one. WAL file names start with its eight hex
-- digits.
CREATE OR REPLACE FUNCTION current_timeline() RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::int;
END
$$;

-- The identifier that initdb gave this server. Its replicas and base backups have the same one.
CREATE OR REPLACE FUNCTION server_identifier() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT c.system_identifier FROM pg_control_system() c);
END
$$;

-- Records the current timeline before its first events are appended.
CREATE OR REPLACE FUNCTION store_timeline() RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_server bigint := server_identifier();
  v_timeline int := current_timeline();
BEGIN
  PERFORM 1 FROM event_timelines t WHERE t.system_identifier = v_server AND t.timeline = v_timeline;
  IF NOT FOUND THEN
    INSERT INTO event_timelines (system_identifier, timeline) VALUES (v_server, v_timeline) ON CONFLICT (system_identifier, timeline) DO NOTHING;
  END IF;
END
$$;

-- Identifies the change log in this database: <server>-<database>-<table>-<timeline>.
--
-- * A primary and its replicas return the same text.
-- * It changes with a dump and restore, because the server, the database or the table is a different one.
-- * It changes with a promotion or a recovery to an earlier point. The last commits may be missing then, and a new event can get the
--   position of a lost one.
--
-- A replica learns of a new timeline from event_timelines, together with the first events of that timeline.
CREATE OR REPLACE FUNCTION log_id() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_server bigint := server_identifier();
  v_timeline int := (SELECT max(t.timeline) FROM event_timelines t WHERE t.system_identifier = v_server);
BEGIN
  v_timeline := greatest(v_timeline, CASE WHEN pg_is_in_recovery() THEN (SELECT c.timeline_id FROM pg_control_checkpoint() c) ELSE current_timeline() END);
  RETURN concat_ws('-', to_hex(v_server), (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()),
    'event_heads'::regclass::oid, v_timeline);
END
$$;
