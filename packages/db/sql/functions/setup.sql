-- Changes of what an organization has set up: pipelines, stages, custom fields, members. TypeScript makes the changes (setup-change.ts)
-- and the ids of new rows; these functions check what needs a lock and write the audit trail.

-- The ids of the oldest opportunities in a stage, p_limit at most.
CREATE OR REPLACE FUNCTION opportunity_ids_of_stage(p_organization_id uuid, p_pipeline_id uuid, p_stage_id uuid, p_limit int) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(SELECT o.id FROM opportunities o
    WHERE o.organization_id = p_organization_id AND o.pipeline_id = p_pipeline_id AND o.stage_id = p_stage_id
    ORDER BY o.created_at, o.id LIMIT p_limit);
END
$$;

-- The ids of opportunities of an owner, p_limit at most. The index on owners starts with the pipeline.
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

-- Gives a pipeline its place among all, from 1; the others keep their order.
CREATE OR REPLACE FUNCTION place_pipeline(p_organization_id uuid, p_id uuid, p_position int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row record;
BEGIN
  FOR v_row IN
    SELECT r.id, row_number() OVER (ORDER BY r.rank) AS position FROM (
      SELECT p.id, CASE WHEN p.id = p_id THEN p_position - 0.5 ELSE row_number() OVER (PARTITION BY p.id = p_id ORDER BY p.position, p.id) END AS rank
        FROM pipelines p WHERE p.organization_id = p_organization_id) r
  LOOP
    UPDATE pipelines p SET position = v_row.position
      WHERE p.organization_id = p_organization_id AND p.id = v_row.id AND p.position <> v_row.position;
  END LOOP;
END
$$;

-- The same for a stage among those of its pipeline.
CREATE OR REPLACE FUNCTION place_stage(p_organization_id uuid, p_pipeline_id uuid, p_id uuid, p_position int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row record;
BEGIN
  FOR v_row IN
    SELECT r.id, row_number() OVER (ORDER BY r.rank) AS position FROM (
      SELECT s.id, CASE WHEN s.id = p_id THEN p_position - 0.5 ELSE row_number() OVER (PARTITION BY s.id = p_id ORDER BY s.position, s.id) END AS rank
        FROM stages s WHERE s.organization_id = p_organization_id AND s.pipeline_id = p_pipeline_id) r
  LOOP
    UPDATE stages s SET position = v_row.position
      WHERE s.organization_id = p_organization_id AND s.id = v_row.id AND s.position <> v_row.position;
  END LOOP;
END
$$;

-- p_change: {id, set: {name, is_active}, position}; without a row of this id a new one. Without a position a new one comes last.
CREATE OR REPLACE FUNCTION save_pipeline(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_is_new boolean := p_change->>'action' = 'pipeline.create';
  v_row pipelines;
BEGIN
  SELECT * INTO v_row FROM pipelines p WHERE p.organization_id = p_organization_id AND p.id = v_id;
  IF v_is_new THEN
    v_row.position := (SELECT coalesce(max(p.position), 0) + 1 FROM pipelines p WHERE p.organization_id = p_organization_id);
    v_row.is_active := true;
    v_row.created_at := write_time();
  ELSIF v_row.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  v_row := jsonb_populate_record(v_row, coalesce(p_change->'set', '{}'));
  PERFORM check_key_is_free('pipeline', 'name', (SELECT p.id FROM pipelines p
    WHERE p.organization_id = p_organization_id AND p.name = v_row.name AND p.id <> v_id));
  IF v_is_new THEN
    INSERT INTO pipelines (organization_id, id, name, position, created_at, is_active)
      VALUES (p_organization_id, v_id, v_row.name, v_row.position, v_row.created_at, v_row.is_active);
  ELSE
    UPDATE pipelines p SET name = v_row.name, is_active = v_row.is_active WHERE p.organization_id = p_organization_id AND p.id = v_id;
  END IF;
  IF p_change ? 'position' THEN
    PERFORM place_pipeline(p_organization_id, v_id, (p_change->>'position')::int);
  END IF;
END
$$;

-- Refuses to archive a stage that has opportunities, or the last one of its pipeline. The lock waits for writes that put an opportunity
-- into the stage, and the second look sees them.
CREATE OR REPLACE FUNCTION check_stage_can_go(p_row stages) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[];
BEGIN
  PERFORM 1 FROM stages s WHERE s.organization_id = p_row.organization_id AND s.id = p_row.id FOR UPDATE;
  v_ids := opportunity_ids_of_stage(p_row.organization_id, p_row.pipeline_id, p_row.id, 10000);
  IF v_ids <> '{}' THEN
    PERFORM refuse('setup_in_use', jsonb_build_object('object', 'stage', 'opportunities', cardinality(v_ids)));
  END IF;
  IF NOT EXISTS (SELECT 1 FROM stages s WHERE s.organization_id = p_row.organization_id AND s.pipeline_id = p_row.pipeline_id
                    AND s.is_active AND s.id <> p_row.id) THEN
    PERFORM refuse('last_stage');
  END IF;
END
$$;

-- p_change: {id, pipeline_id (of a new one), set: {label, color, probability, is_active, is_default}, position}. A pipeline has one default
-- stage at most; an archived stage is none.
CREATE OR REPLACE FUNCTION save_stage(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_is_new boolean := p_change->>'action' = 'stage.create';
  v_old stages;
  v_row stages;
BEGIN
  SELECT * INTO v_old FROM stages s WHERE s.organization_id = p_organization_id AND s.id = v_id;
  IF v_is_new THEN
    v_old.pipeline_id := p_change->>'pipeline_id';
    v_old.position := (SELECT coalesce(max(s.position), 0) + 1 FROM stages s WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_old.pipeline_id);
    v_old.is_active := true;
    v_old.is_default := false;
  ELSIF v_old.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  v_row := jsonb_populate_record(v_old, coalesce(p_change->'set', '{}'));
  PERFORM check_key_is_free('stage', 'label', (SELECT s.id FROM stages s
    WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_row.pipeline_id AND s.label = v_row.label AND s.id <> v_id));
  IF v_old.is_active AND NOT v_row.is_active AND NOT v_is_new THEN
    PERFORM check_stage_can_go(v_old);
  END IF;
  v_row.is_default := v_row.is_default AND v_row.is_active;
  IF v_row.is_default THEN
    UPDATE stages s SET is_default = false
      WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_row.pipeline_id AND s.is_default AND s.id <> v_id;
  END IF;
  IF v_is_new THEN
    INSERT INTO stages (organization_id, id, pipeline_id, label, position, color, is_active, is_default, probability)
      VALUES (p_organization_id, v_id, v_row.pipeline_id, v_row.label, v_row.position, v_row.color, v_row.is_active, v_row.is_default, v_row.probability);
  ELSE
    UPDATE stages s SET label = v_row.label, color = v_row.color, is_active = v_row.is_active, is_default = v_row.is_default, probability = v_row.probability
      WHERE s.organization_id = p_organization_id AND s.id = v_id;
  END IF;
  IF p_change ? 'position' THEN
    PERFORM place_stage(p_organization_id, v_row.pipeline_id, v_id, (p_change->>'position')::int);
  END IF;
END
$$;

-- The first column for comparison keys of a kind (text, number) that no field of the object uses, or null.
CREATE OR REPLACE FUNCTION free_slot(p_organization_id uuid, p_object_type text, p_kind text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT p_kind || '_' || n FROM generate_series(1, 8) n
           WHERE p_kind || '_' || n NOT IN (SELECT f.slot FROM custom_fields f
                   WHERE f.organization_id = p_organization_id AND f.object_type = p_object_type AND f.slot IS NOT NULL)
           ORDER BY n LIMIT 1);
END
$$;

-- p_change: {id, set: columns, slot_kind, pipeline_ids}. Without a position the field comes last.
CREATE OR REPLACE FUNCTION define_field(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row custom_fields := jsonb_populate_record(NULL::custom_fields, p_change->'set');
  v_pipeline_id uuid;
BEGIN
  PERFORM check_key_is_free('field', 'slug', (SELECT f.id FROM custom_fields f
    WHERE f.organization_id = p_organization_id AND f.object_type = v_row.object_type AND f.slug = v_row.slug));
  v_row.id := p_change->>'id';
  v_row.position := coalesce(v_row.position, (SELECT coalesce(max(f.position), 0) + 1 FROM custom_fields f
    WHERE f.organization_id = p_organization_id AND f.object_type = v_row.object_type));
  v_row.slot := free_slot(p_organization_id, v_row.object_type, p_change->>'slot_kind');
  INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, metadata, position, is_hidden, is_active, all_pipelines, slot)
    VALUES (p_organization_id, v_row.id, v_row.object_type, v_row.slug, v_row.name, v_row.attribute_type, nullif(v_row.metadata, 'null'), v_row.position,
            v_row.is_hidden, coalesce(v_row.is_active, true), nullif(p_change->'pipeline_ids', 'null') IS NULL, v_row.slot);
  FOR v_pipeline_id IN SELECT jsonb_array_elements_text(nullif(p_change->'pipeline_ids', 'null'))::uuid LOOP
    INSERT INTO custom_field_pipelines (organization_id, custom_field_id, pipeline_id) VALUES (p_organization_id, v_row.id, v_pipeline_id);
  END LOOP;
END
$$;

-- p_change: {id, set: {name, metadata, position, is_hidden, is_active}, found_metadata}. `found_metadata` is what the new metadata were made
-- from: if they have changed since, the caller must look again.
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
  v_row := jsonb_populate_record(v_row, p_change->'set');
  UPDATE custom_fields f SET name = v_row.name, metadata = nullif(v_row.metadata, 'null'), position = v_row.position, is_hidden = v_row.is_hidden, is_active = v_row.is_active
    WHERE f.organization_id = p_organization_id AND f.id = v_id;
END
$$;

-- p_change: {id, set: {email, name, is_active}}; with the action `member.add` a new row.
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

-- p_change: {id, keeps_opportunities}. A member who keeps opportunities becomes a former one: the row stays, because opportunities refer to
-- it. Otherwise the row goes, and a write that still names the member breaks a foreign key and is refused. The lock waits for those
-- writes that came first, and the second look sees their opportunities.
CREATE OR REPLACE FUNCTION remove_member(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_ids uuid[];
BEGIN
  PERFORM 1 FROM members m WHERE m.organization_id = p_organization_id AND m.id = v_id FOR UPDATE;
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

-- Writes one change into the audit trail. p_origin: {actor, os_user, command_id}.
CREATE OR REPLACE FUNCTION note_setup_change(p_organization_id uuid, p_change jsonb, p_origin jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO audit_events (organization_id, id, created_at, actor, os_user, command_id, action, target, details)
    VALUES (p_organization_id, gen_random_uuid(), write_time(), p_origin->>'actor', p_origin->>'os_user', (p_origin->>'command_id')::uuid,
            p_change->>'action', p_change->>'id', p_change->'details');
END
$$;

-- Makes all changes of a list in their order, or none. `outdates_records` says that a change outdates stored records of opportunities:
-- their stage's label, or which fields are visible. Then this waits for creates in flight, so that the rebuild finds their
-- opportunities, and the organization is marked until the rebuild is complete.
-- Changes of one organization wait for each other, so that positions and slots are given out once.
CREATE OR REPLACE FUNCTION change_setup(p_organization_id uuid, p_changes jsonb, p_origin jsonb, OUT outdated_at timestamptz, OUT read_mark text)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_change jsonb;
  v_currency text;
  v_outdated_at timestamptz;
BEGIN
  PERFORM lock_organization_state(p_organization_id, 'setup', true);
  PERFORM 1 FROM organizations o WHERE o.id = p_organization_id;
  IF NOT FOUND THEN
    PERFORM refuse('not_found');
  END IF;
  IF p_changes @> '[{"outdates_records": true}]' THEN
    PERFORM lock_organization_state(p_organization_id, 'visible_fields', true);
    v_outdated_at := write_time();
    INSERT INTO record_rebuilds (organization_id, outdated_at) VALUES (p_organization_id, v_outdated_at)
      ON CONFLICT (organization_id) DO UPDATE SET outdated_at = excluded.outdated_at;
    outdated_at := v_outdated_at;
  END IF;
  FOR v_change IN SELECT c.value FROM jsonb_array_elements(p_changes) WITH ORDINALITY c (value, place) ORDER BY c.place LOOP
    CASE v_change->>'action'
      WHEN 'pipeline.create', 'pipeline.update' THEN PERFORM save_pipeline(p_organization_id, v_change);
      WHEN 'stage.create', 'stage.update' THEN PERFORM save_stage(p_organization_id, v_change);
      WHEN 'field.define' THEN PERFORM define_field(p_organization_id, v_change);
      WHEN 'field.update' THEN PERFORM update_field(p_organization_id, v_change);
      WHEN 'member.add', 'member.update' THEN PERFORM save_member(p_organization_id, v_change);
      WHEN 'member.remove' THEN PERFORM remove_member(p_organization_id, v_change);
      WHEN 'organization.update' THEN
        v_currency := v_change->'set'->>'currency';
        UPDATE organizations o SET currency = v_currency WHERE o.id = p_organization_id;
    END CASE;
    IF v_change ? 'details' THEN
      PERFORM note_setup_change(p_organization_id, v_change, p_origin);
    END IF;
  END LOOP;
  read_mark := read_mark();
END
$$;

-- Notes that the stored records are rebuilt, unless another change has outdated them meanwhile.
CREATE OR REPLACE FUNCTION end_rebuild(p_organization_id uuid, p_outdated_at timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM record_rebuilds r WHERE r.organization_id = p_organization_id AND r.outdated_at = p_outdated_at;
END
$$;
