-- Changes of an organization's setup: custom fields, members, and `change_setup`, which runs a list of changes. setup_pipelines.sql has
-- pipelines and stages. TypeScript builds the changes, including the ids of new rows (setup-change.ts). These functions make the checks
-- that need a lock, and write the audit trail.

-- The ids of opportunities of an owner, at most p_limit. Reads one pipeline at a time, because the index on owners starts with the
-- pipeline.
CREATE OR REPLACE FUNCTION opportunity_ids_of_owner(p_organization_id uuid, p_owner_id uuid, p_limit int) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_pipeline_id uuid;
  v_ids uuid[] := '{}';
  v_room int;
BEGIN
  FOR v_pipeline_id IN SELECT p.id FROM pipelines p WHERE p.organization_id = p_organization_id ORDER BY p.id LOOP
    v_room := p_limit - cardinality(v_ids);
    v_ids := v_ids || ARRAY(SELECT o.id FROM opportunities o
      WHERE o.organization_id = p_organization_id AND o.pipeline_id = v_pipeline_id AND o.owner_id = p_owner_id
      ORDER BY o.created_at, o.id LIMIT v_room);
  END LOOP;
  RETURN v_ids;
END
$$;

-- The first slot column of a kind ('text' or 'number') that no field of the object uses, for example `text_3`; null if all are in use.
CREATE OR REPLACE FUNCTION free_slot(p_organization_id uuid, p_object_type text, p_kind text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT p_kind || '_' || n FROM generate_series(1, 8) n
           WHERE p_kind || '_' || n NOT IN (SELECT f.slot FROM custom_fields f
                   WHERE f.organization_id = p_organization_id AND f.object_type = p_object_type AND f.slot IS NOT NULL)
           ORDER BY n LIMIT 1);
END
$$;

-- Moves a row to a position among the rows of its list, counted from 1. The other rows keep their order.
-- FOR object=pipeline table=pipelines list=organization_id
-- FOR object=stage table=stages list=pipeline_id
-- FOR object=field table=custom_fields list=object_type
CREATE OR REPLACE FUNCTION place_{object}(p_row {table}, p_position int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_others uuid[] := ARRAY(SELECT r.id FROM {table} r
    WHERE r.organization_id = p_row.organization_id AND r.{list} = p_row.{list} AND r.id <> p_row.id ORDER BY r.position, r.id);
  v_ids uuid[] := v_others[:p_position - 1] || p_row.id || v_others[p_position:];
BEGIN
  UPDATE {table} r SET position = array_position(v_ids, r.id)
    WHERE r.organization_id = p_row.organization_id AND r.{list} = p_row.{list} AND r.position <> array_position(v_ids, r.id);
END
$$;

-- Creates a custom field. p_change: {id, set: columns, position, slot_kind, pipeline_ids}. A field without a position comes last. Without
-- pipeline_ids, the field belongs to all pipelines.
CREATE OR REPLACE FUNCTION define_field(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row custom_fields := jsonb_populate_record(NULL::custom_fields, p_change->'set');
  v_pipeline_id uuid;
BEGIN
  PERFORM check_key_is_free('field', 'slug', (SELECT f.id FROM custom_fields f
    WHERE f.organization_id = p_organization_id AND f.object_type = v_row.object_type AND f.slug = v_row.slug));
  v_row.organization_id := p_organization_id;
  v_row.id := p_change->>'id';
  v_row.position := (SELECT coalesce(max(f.position), 0) + 1 FROM custom_fields f
    WHERE f.organization_id = p_organization_id AND f.object_type = v_row.object_type);
  v_row.slot := free_slot(p_organization_id, v_row.object_type, p_change->>'slot_kind');
  INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, metadata, position, is_hidden, is_active, all_pipelines, slot)
    VALUES (p_organization_id, v_row.id, v_row.object_type, v_row.slug, v_row.name, v_row.attribute_type, nullif(v_row.metadata, 'null'), v_row.position,
            v_row.is_hidden, coalesce(v_row.is_active, true), nullif(p_change->'pipeline_ids', 'null') IS NULL, v_row.slot);
  FOR v_pipeline_id IN SELECT jsonb_array_elements_text(nullif(p_change->'pipeline_ids', 'null'))::uuid LOOP
    INSERT INTO custom_field_pipelines (organization_id, custom_field_id, pipeline_id) VALUES (p_organization_id, v_row.id, v_pipeline_id);
  END LOOP;
  IF p_change ? 'position' THEN
    PERFORM place_field(v_row, (p_change->>'position')::int);
  END IF;
END
$$;

-- Changes a custom field. p_change: {id, set: {name, metadata, is_hidden, is_active}, position, found_metadata, refuses_values}. The caller
-- computed the new metadata from `found_metadata`. If the stored metadata have changed since, refuses the change. The caller must then read
-- the metadata again. With `refuses_values`, also refuses the change if records have values of the field.
CREATE OR REPLACE FUNCTION update_field(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_row custom_fields;
BEGIN
  SELECT * INTO v_row FROM custom_fields f WHERE f.organization_id = p_organization_id AND f.id = v_id;
  IF v_row.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  IF p_change ? 'found_metadata' AND coalesce(v_row.metadata, 'null') <> p_change->'found_metadata' THEN
    PERFORM refuse('setup_changed');
  END IF;
  IF (p_change->>'refuses_values')::boolean THEN
    PERFORM check_has_no_values(v_row, false);
  END IF;
  v_row := jsonb_populate_record(v_row, p_change->'set');
  UPDATE custom_fields f SET name = v_row.name, metadata = nullif(v_row.metadata, 'null'), is_hidden = v_row.is_hidden, is_active = v_row.is_active
    WHERE f.organization_id = p_organization_id AND f.id = v_id;
  IF p_change ? 'position' THEN
    PERFORM place_field(v_row, (p_change->>'position')::int);
  END IF;
END
$$;

-- How many records have a value of a custom field, at most p_limit.
CREATE OR REPLACE FUNCTION count_values(p_row custom_fields, p_limit int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE p_row.object_type
    WHEN 'account' THEN (SELECT count(*) FROM (SELECT 1 FROM accounts a
      WHERE a.organization_id = p_row.organization_id AND a.custom_fields ? p_row.slug LIMIT p_limit) n)
    WHEN 'contact' THEN (SELECT count(*) FROM (SELECT 1 FROM contacts c
      WHERE c.organization_id = p_row.organization_id AND c.custom_fields ? p_row.slug LIMIT p_limit) n)
    ELSE (SELECT count(*) FROM (SELECT 1 FROM opportunities o
      WHERE o.organization_id = p_row.organization_id AND o.custom_fields ? p_row.slug LIMIT p_limit) n) END;
END
$$;

-- Refuses to delete a custom field that records have values of, or to change its currency.
CREATE OR REPLACE FUNCTION check_has_no_values(p_row custom_fields, p_is_deletion boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_count int := count_values(p_row, 10000);
BEGIN
  IF v_count > 0 THEN
    PERFORM refuse('field_in_use', jsonb_build_object('object', p_row.object_type, 'records', v_count, 'isDeletion', p_is_deletion));
  END IF;
END
$$;

-- Deletes a custom field that no record has a value of. p_change: {id}.
CREATE OR REPLACE FUNCTION delete_field(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_row custom_fields;
BEGIN
  SELECT * INTO v_row FROM custom_fields f WHERE f.organization_id = p_organization_id AND f.id = v_id;
  IF v_row.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  PERFORM check_has_no_values(v_row, true);
  DELETE FROM custom_field_pipelines l WHERE l.organization_id = p_organization_id AND l.custom_field_id = v_id;
  DELETE FROM custom_fields f WHERE f.organization_id = p_organization_id AND f.id = v_id;
  UPDATE custom_fields f SET position = f.position - 1
    WHERE f.organization_id = p_organization_id AND f.object_type = v_row.object_type AND f.position > v_row.position;
END
$$;

-- Refuses values of custom fields that were deleted meanwhile. A gateway decides by a setup that may be a second old. p_function and
-- p_input: see `write`.
CREATE OR REPLACE FUNCTION check_fields_exist(p_organization_id uuid, p_function text, p_input jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_object text := split_part(coalesce(p_input->>'function', p_function), '_', 2);
  v_slugs text[];
  v_found int;
BEGIN
  IF NOT jsonb_path_exists(p_input, '$.change.custom_fields.*') AND NOT jsonb_path_exists(p_input, '$.items[*].input.change.custom_fields.*') THEN
    RETURN;
  END IF;
  v_slugs := ARRAY(
    SELECT jsonb_path_query(p_input, '$.change.custom_fields.keyvalue().key') #>> '{}'
    UNION SELECT jsonb_path_query(p_input, '$.items[*].input.change.custom_fields.keyvalue().key') #>> '{}');
  v_found := (SELECT count(*) FROM custom_fields f
    WHERE f.organization_id = p_organization_id AND f.object_type = v_object AND f.slug = ANY (v_slugs));
  IF v_found < cardinality(v_slugs) THEN
    PERFORM refuse('setup_changed');
  END IF;
END
$$;

-- Adds a member (action `member.add`) or changes it. p_change: {action, id, set: {email, name, is_active}}.
CREATE OR REPLACE FUNCTION save_member(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_row members;
BEGIN
  SELECT * INTO v_row FROM members m WHERE m.organization_id = p_organization_id AND m.id = v_id;
  IF v_row.id IS NULL AND p_change->>'action' <> 'member.add' THEN
    PERFORM refuse('not_found');
  END IF;
  v_row := jsonb_populate_record(v_row, p_change->'set');
  PERFORM check_key_is_free('member', 'email', (SELECT m.id FROM members m
    WHERE m.organization_id = p_organization_id AND m.email = v_row.email AND m.id <> v_id));
  IF p_change->>'action' = 'member.add' THEN
    INSERT INTO members (organization_id, id, email, name, is_active) VALUES (p_organization_id, v_id, v_row.email, v_row.name, coalesce(v_row.is_active, true));
  ELSE
    UPDATE members m SET email = v_row.email, name = v_row.name, is_active = v_row.is_active WHERE m.organization_id = p_organization_id AND m.id = v_id;
  END IF;
END
$$;

-- Removes a member. p_change: {id, keeps_opportunities}. With keeps_opportunities, the member becomes inactive and the row stays, because
-- opportunities refer to it. Without keeps_opportunities, refuses the change if the member has opportunities, and otherwise deletes the
-- row.
CREATE OR REPLACE FUNCTION remove_member(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_ids uuid[];
BEGIN
  PERFORM 1 FROM members m WHERE m.organization_id = p_organization_id AND m.id = v_id;
  IF NOT FOUND THEN
    PERFORM refuse('not_found');
  END IF;
  IF (p_change->>'keeps_opportunities')::boolean THEN
    UPDATE members m SET is_active = false WHERE m.organization_id = p_organization_id AND m.id = v_id;
    RETURN;
  END IF;
  v_ids := opportunity_ids_of_owner(p_organization_id, v_id, 10000);
  IF v_ids <> '{}' THEN
    PERFORM refuse('setup_in_use', jsonb_build_object('object', 'member', 'opportunities', cardinality(v_ids)));
  END IF;
  DELETE FROM members m WHERE m.organization_id = p_organization_id AND m.id = v_id;
END
$$;

-- The row that a change is about; null if there is none.
CREATE OR REPLACE FUNCTION setup_row(p_organization_id uuid, p_change jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
BEGIN
  RETURN CASE split_part(p_change->>'action', '.', 1)
    WHEN 'pipeline' THEN (SELECT to_jsonb(p) FROM pipelines p WHERE p.organization_id = p_organization_id AND p.id = v_id)
    WHEN 'stage' THEN (SELECT to_jsonb(s) FROM stages s WHERE s.organization_id = p_organization_id AND s.id = v_id)
    WHEN 'field' THEN (SELECT to_jsonb(f) FROM custom_fields f WHERE f.organization_id = p_organization_id AND f.id = v_id)
    WHEN 'member' THEN (SELECT to_jsonb(m) FROM members m WHERE m.organization_id = p_organization_id AND m.id = v_id)
    ELSE (SELECT to_jsonb(o) FROM organizations o WHERE o.id = p_organization_id) END;
END
$$;

-- Writes a change to the audit trail, with the name of its target and the values before it. p_before and p_after: see `setup_row`.
-- p_origin: {actor, os_user, command_id}.
CREATE OR REPLACE FUNCTION store_setup_audit_event(p_organization_id uuid, p_id uuid, p_change jsonb, p_before jsonb, p_after jsonb, p_origin jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_details jsonb := p_change->'details';
  v_row jsonb := coalesce(p_before, p_after);
  v_before jsonb;
BEGIN
  -- A position beyond the end of the list is stored as the last one.
  IF v_details ? 'position' THEN
    v_details := v_details || jsonb_build_object('position', p_after->'position');
  END IF;
  v_before := (SELECT jsonb_object_agg(c.key, c.old) FROM (
    SELECT d.key, d.value, CASE d.key
             WHEN 'option' THEN jsonb_path_query_first(p_before, '$.metadata.options[*] ? (@.value == $value)', jsonb_build_object('value', d.value->'value'))
             ELSE p_before->d.key END AS old
      FROM jsonb_each(v_details) d) c WHERE c.old <> c.value);
  v_details := v_details || jsonb_build_object('target_name', coalesce(v_row->'email', v_row->'label', v_row->'slug', v_row->'name'));
  IF v_before IS NOT NULL THEN
    v_details := v_details || jsonb_build_object('before', v_before);
  END IF;
  INSERT INTO audit_events (organization_id, id, created_at, actor, os_user, command_id, action, target, details)
    VALUES (p_organization_id, p_id, write_time(), p_origin->>'actor', p_origin->>'os_user', (p_origin->>'command_id')::uuid,
            p_change->>'action', p_change->>'id', v_details);
END
$$;

-- Refuses a setup beyond its limits, which keep every request fast: each gateway holds the setup, and pages contain definitions. The limits
-- are those of setupLimits in packages/domain.
CREATE OR REPLACE FUNCTION check_setup_size(p_organization_id uuid, p_limits jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_limit record;
  v_sizes jsonb := jsonb_build_object(
    'fields', (SELECT count(*) FROM custom_fields f WHERE f.organization_id = p_organization_id),
    'pipelines', (SELECT count(*) FROM pipelines p WHERE p.organization_id = p_organization_id),
    'stages', (SELECT max(c.n) FROM (SELECT count(*) AS n FROM stages s WHERE s.organization_id = p_organization_id GROUP BY s.pipeline_id) c),
    'members', (SELECT count(*) FROM members m WHERE m.organization_id = p_organization_id),
    'bytes', (SELECT coalesce(sum(octet_length(f.name) + coalesce(octet_length(f.metadata::text), 0)), 0) FROM custom_fields f WHERE f.organization_id = p_organization_id)
           + (SELECT coalesce(sum(octet_length(p.name)), 0) FROM pipelines p WHERE p.organization_id = p_organization_id)
           + (SELECT coalesce(sum(octet_length(s.label)), 0) FROM stages s WHERE s.organization_id = p_organization_id)
           + (SELECT coalesce(sum(octet_length(m.name) + octet_length(m.email)), 0) FROM members m WHERE m.organization_id = p_organization_id));
BEGIN
  FOR v_limit IN SELECT l.key, l.value::bigint AS most FROM jsonb_each_text(p_limits) l LOOP
    IF (v_sizes->>v_limit.key)::bigint > v_limit.most THEN
      PERFORM refuse('setup_too_large', jsonb_build_object('what', v_limit.key, 'limit', v_limit.most));
    END IF;
  END LOOP;
END
$$;

-- Applies a list of changes in order, all or none, while no other write of the organization runs. If it refuses one, it returns only
-- `refusal`.
--
-- `outdates_records` marks a change that outdates the stored records of opportunities, because it changes the label of a stage or which
-- fields are visible. The call then marks the organization in record_rebuilds. end_rebuild removes the mark.
CREATE OR REPLACE FUNCTION change_setup(p_organization_id uuid, p_changes jsonb, p_origin jsonb, p_limits jsonb, OUT outdated_at timestamptz, OUT read_mark text, OUT refusal jsonb)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_change jsonb;
  v_before jsonb;
  v_organization organizations;
  v_outdated_at timestamptz;
  v_version uuid := gen_random_uuid();
  v_audit_id uuid;
BEGIN
  BEGIN
    PERFORM lock_organization(p_organization_id, 'exclusive');
    PERFORM 1 FROM organizations o WHERE o.id = p_organization_id;
    IF NOT FOUND THEN
      PERFORM refuse('not_found');
    END IF;
    IF p_changes @> '[{"outdates_records": true}]' THEN
      v_outdated_at := write_time();
      INSERT INTO record_rebuilds (organization_id, outdated_at, active_at) VALUES (p_organization_id, v_outdated_at, v_outdated_at)
        ON CONFLICT (organization_id) DO UPDATE SET outdated_at = excluded.outdated_at, active_at = excluded.active_at;
      outdated_at := v_outdated_at;
    END IF;
    FOR v_change IN SELECT c.value FROM jsonb_array_elements(p_changes) WITH ORDINALITY c (value, place) ORDER BY c.place LOOP
      v_before := setup_row(p_organization_id, v_change);
      CASE v_change->>'action'
        WHEN 'pipeline.create', 'pipeline.update' THEN PERFORM save_pipeline(p_organization_id, v_change);
        WHEN 'stage.create', 'stage.update' THEN PERFORM save_stage(p_organization_id, v_change);
        WHEN 'stage.delete' THEN PERFORM delete_stage(p_organization_id, v_change);
        WHEN 'field.define' THEN PERFORM define_field(p_organization_id, v_change);
        WHEN 'field.update' THEN PERFORM update_field(p_organization_id, v_change);
        WHEN 'field.delete' THEN PERFORM delete_field(p_organization_id, v_change);
        WHEN 'member.add', 'member.update' THEN PERFORM save_member(p_organization_id, v_change);
        WHEN 'member.remove' THEN PERFORM remove_member(p_organization_id, v_change);
        WHEN 'organization.update' THEN
          SELECT * INTO v_organization FROM organizations o WHERE o.id = p_organization_id;
          v_organization := jsonb_populate_record(v_organization, v_change->'set');
          UPDATE organizations o SET name = v_organization.name, currency = v_organization.currency WHERE o.id = p_organization_id;
      END CASE;
      IF v_change ? 'details' THEN
        -- The trail has the changes in their order, although several are of one millisecond.
        v_audit_id := next_id(v_audit_id, write_time());
        PERFORM store_setup_audit_event(p_organization_id, v_audit_id, v_change, v_before, setup_row(p_organization_id, v_change), p_origin);
      END IF;
    END LOOP;
    PERFORM check_setup_size(p_organization_id, p_limits);
    UPDATE organizations o SET setup_version = v_version WHERE o.id = p_organization_id;
    read_mark := read_mark();
  EXCEPTION WHEN SQLSTATE 'CRM01' THEN
    outdated_at := NULL;
    refusal := SQLERRM;
  END;
END
$$;

-- Takes over a rebuild that no process has worked on for p_seconds. Returns when its records became outdated, or null. A process that works
-- on a batch holds the row until the batch ends, so a batch may take longer than p_seconds. If the process ends, PostgreSQL frees the row.
CREATE OR REPLACE FUNCTION claim_rebuild(p_organization_id uuid, p_seconds int) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_outdated_at timestamptz;
  v_active_at timestamptz;
BEGIN
  SELECT r.outdated_at INTO v_outdated_at FROM record_rebuilds r
    WHERE r.organization_id = p_organization_id AND r.active_at < clock_timestamp() - make_interval(secs => p_seconds)
    FOR UPDATE SKIP LOCKED;
  v_active_at := write_time();
  UPDATE record_rebuilds r SET active_at = v_active_at WHERE r.organization_id = p_organization_id AND r.outdated_at = v_outdated_at;
  RETURN v_outdated_at;
END
$$;

-- Rebuilds the stored records of the opportunities after p_last_id, of p_most opportunities or p_most_bytes at most, but of at least one.
-- Returns how many it processed and the last one. is_current: whether no later change has outdated the records since p_outdated_at; null
-- p_outdated_at stands for a rebuild that no change caused.
CREATE OR REPLACE FUNCTION rebuild_records(p_organization_id uuid, p_outdated_at timestamptz, p_last_id uuid, p_most int, p_most_bytes bigint,
  OUT is_current boolean, OUT done int, OUT last_id uuid) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_active_at timestamptz := write_time();
  v_ids uuid[];
BEGIN
  UPDATE record_rebuilds r SET active_at = v_active_at WHERE r.organization_id = p_organization_id AND r.outdated_at = p_outdated_at;
  is_current := FOUND OR p_outdated_at IS NULL;
  SELECT array_agg(b.id ORDER BY b.id) INTO v_ids FROM (
    SELECT n.id, sum(n.bytes) OVER (ORDER BY n.id) AS bytes, row_number() OVER (ORDER BY n.id) AS place
      FROM (SELECT o.id, octet_length(o.record) AS bytes FROM opportunities o
             WHERE o.organization_id = p_organization_id AND (p_last_id IS NULL OR o.id > p_last_id) ORDER BY o.id LIMIT p_most) n) b
    WHERE is_current AND (b.bytes <= p_most_bytes OR b.place = 1);
  done := coalesce(cardinality(v_ids), 0);
  last_id := v_ids[done];
  IF done > 0 THEN
    PERFORM refresh_opportunity_records(p_organization_id, v_ids);
  END IF;
END
$$;

-- Removes the mark of a finished rebuild, unless a later change has outdated the records again.
CREATE OR REPLACE FUNCTION end_rebuild(p_organization_id uuid, p_outdated_at timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM record_rebuilds r WHERE r.organization_id = p_organization_id AND r.outdated_at = p_outdated_at;
END
$$;
