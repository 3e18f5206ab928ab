-- Changes of the setup: pipelines and stages. change_setup in setup.sql calls save_pipeline and save_stage.

-- The ids of the oldest opportunities in a stage, at most p_limit.
CREATE OR REPLACE FUNCTION opportunity_ids_of_stage(p_organization_id uuid, p_pipeline_id uuid, p_stage_id uuid, p_limit int) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(SELECT o.id FROM opportunities o
    WHERE o.organization_id = p_organization_id AND o.pipeline_id = p_pipeline_id AND o.stage_id = p_stage_id
    ORDER BY o.created_at, o.id LIMIT p_limit);
END
$$;

-- Creates a pipeline (action `pipeline.create`) or changes it. p_change: {action, id, set: {name, comparable_name, is_active}, position}. A new pipeline
-- without a position comes last.
CREATE OR REPLACE FUNCTION save_pipeline(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_is_new boolean := p_change->>'action' = 'pipeline.create';
  v_row pipelines;
BEGIN
  SELECT * INTO v_row FROM pipelines p WHERE p.organization_id = p_organization_id AND p.id = v_id;
  IF v_is_new THEN
    v_row.organization_id := p_organization_id;
    v_row.id := v_id;
    v_row.position := (SELECT coalesce(max(p.position), 0) + 1 FROM pipelines p WHERE p.organization_id = p_organization_id);
    v_row.is_active := true;
    v_row.created_at := write_time();
  ELSIF v_row.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  v_row := jsonb_populate_record(v_row, coalesce(p_change->'set', '{}'));
  PERFORM check_key_is_free('pipeline', 'name', (SELECT p.id FROM pipelines p
    WHERE p.organization_id = p_organization_id AND p.comparable_name = v_row.comparable_name AND p.id <> v_id));
  IF v_is_new THEN
    INSERT INTO pipelines (organization_id, id, name, comparable_name, position, created_at, is_active)
      VALUES (p_organization_id, v_id, v_row.name, v_row.comparable_name, v_row.position, v_row.created_at, v_row.is_active);
  ELSE
    UPDATE pipelines p SET name = v_row.name, comparable_name = v_row.comparable_name, is_active = v_row.is_active WHERE p.organization_id = p_organization_id AND p.id = v_id;
  END IF;
  IF p_change ? 'position' THEN
    PERFORM place_pipeline(v_row, (p_change->>'position')::int);
  END IF;
END
$$;

-- Refuses to restore an opportunity into an archived pipeline or stage. A gateway decides by a setup that may be a second old.
CREATE OR REPLACE FUNCTION check_place_is_active(p_row opportunities) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_is_active boolean;
BEGIN
  SELECT p.is_active INTO v_is_active FROM pipelines p
    WHERE p.organization_id = p_row.organization_id AND p.id = p_row.pipeline_id;
  IF NOT v_is_active THEN
    PERFORM refuse('pipeline_archived', jsonb_build_object('isRestored', true));
  END IF;
  PERFORM check_stage_is_active(p_row);
END
$$;

-- Refuses an archived or deleted stage, like check_place_is_active.
CREATE OR REPLACE FUNCTION check_stage_is_active(p_row opportunities) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_is_active boolean;
BEGIN
  SELECT s.is_active INTO v_is_active FROM stages s WHERE s.organization_id = p_row.organization_id AND s.id = p_row.stage_id;
  IF p_row.stage_id IS NOT NULL AND v_is_active IS NOT TRUE THEN
    PERFORM refuse('stage_archived');
  END IF;
END
$$;

-- Refuses to archive or delete the last active stage of its pipeline, and a stage that has opportunities, unless p_keeps_opportunities.
CREATE OR REPLACE FUNCTION check_stage_can_go(p_row stages, p_keeps_opportunities boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_ids uuid[];
BEGIN
  IF NOT p_keeps_opportunities THEN
    v_ids := opportunity_ids_of_stage(p_row.organization_id, p_row.pipeline_id, p_row.id, 10000);
    IF v_ids <> '{}' THEN
      PERFORM refuse('setup_in_use', jsonb_build_object('object', 'stage', 'opportunities', cardinality(v_ids)));
    END IF;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM stages s WHERE s.organization_id = p_row.organization_id AND s.pipeline_id = p_row.pipeline_id
                    AND s.is_active AND s.id <> p_row.id) THEN
    PERFORM refuse('last_stage');
  END IF;
END
$$;

-- Creates a stage (action `stage.create`) or changes it. p_change: {action, id, pipeline_id (of a new stage), set: {label, comparable_label, color,
-- probability, outcome, is_active, is_default}, position, keeps_opportunities}. A pipeline has at most one default stage. An archived stage is
-- never the default. With keeps_opportunities, a stage is archived although it has opportunities, which the caller then moves.
CREATE OR REPLACE FUNCTION save_stage(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_is_new boolean := p_change->>'action' = 'stage.create';
  v_old stages;
  v_row stages;
BEGIN
  SELECT * INTO v_old FROM stages s WHERE s.organization_id = p_organization_id AND s.id = v_id;
  IF v_is_new THEN
    v_old.organization_id := p_organization_id;
    v_old.id := v_id;
    v_old.pipeline_id := p_change->>'pipeline_id';
    v_old.position := (SELECT coalesce(max(s.position), 0) + 1 FROM stages s WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_old.pipeline_id);
    v_old.is_active := true;
    v_old.is_default := false;
    v_old.outcome := 'open';
  ELSIF v_old.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  v_row := jsonb_populate_record(v_old, coalesce(p_change->'set', '{}'));
  PERFORM check_key_is_free('stage', 'label', (SELECT s.id FROM stages s
    WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_row.pipeline_id AND s.comparable_label = v_row.comparable_label AND s.id <> v_id));
  IF v_old.is_active AND NOT v_row.is_active AND NOT v_is_new THEN
    PERFORM check_stage_can_go(v_old, coalesce((p_change->>'keeps_opportunities')::boolean, false));
  END IF;
  IF (p_change->'set'->>'is_default')::boolean AND NOT v_row.is_active THEN
    PERFORM refuse('default_stage_archived');
  END IF;
  v_row.is_default := v_row.is_default AND v_row.is_active;
  IF v_row.is_default THEN
    UPDATE stages s SET is_default = false
      WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_row.pipeline_id AND s.is_default AND s.id <> v_id;
  END IF;
  IF v_is_new THEN
    INSERT INTO stages (organization_id, id, pipeline_id, label, comparable_label, position, color, is_active, is_default, probability, outcome)
      VALUES (p_organization_id, v_id, v_row.pipeline_id, v_row.label, v_row.comparable_label, v_row.position, v_row.color, v_row.is_active,
              v_row.is_default, v_row.probability, v_row.outcome);
  ELSE
    UPDATE stages s SET label = v_row.label, comparable_label = v_row.comparable_label, color = v_row.color, is_active = v_row.is_active,
      is_default = v_row.is_default, probability = v_row.probability, outcome = v_row.outcome
      WHERE s.organization_id = p_organization_id AND s.id = v_id;
  END IF;
  IF p_change ? 'position' THEN
    PERFORM place_stage(v_row, (p_change->>'position')::int);
  END IF;
END
$$;

-- Deletes a stage without opportunities. p_change: {id}.
CREATE OR REPLACE FUNCTION delete_stage(p_organization_id uuid, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_change->>'id';
  v_row stages;
BEGIN
  SELECT * INTO v_row FROM stages s WHERE s.organization_id = p_organization_id AND s.id = v_id;
  IF v_row.id IS NULL THEN
    PERFORM refuse('not_found');
  END IF;
  PERFORM check_stage_can_go(v_row, false);
  DELETE FROM stages s WHERE s.organization_id = p_organization_id AND s.id = v_id;
  UPDATE stages s SET position = s.position - 1
    WHERE s.organization_id = p_organization_id AND s.pipeline_id = v_row.pipeline_id AND s.position > v_row.position;
END
$$;
