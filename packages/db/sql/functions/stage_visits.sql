-- Since when opportunities are in their stages.

-- The API key of the request that makes this write; null if no request does.
CREATE OR REPLACE FUNCTION current_api_key_id() RETURNS uuid LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN nullif(current_setting('crm.api_key_id', true), '')::uuid;
END
$$;

-- The outcome of a stage; null without a stage.
CREATE OR REPLACE FUNCTION stage_outcome(p_organization_id uuid, p_stage_id uuid) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_outcome text;
BEGIN
  SELECT s.outcome INTO v_outcome FROM stages s WHERE s.organization_id = p_organization_id AND s.id = p_stage_id;
  RETURN v_outcome;
END
$$;

-- The opportunity with the columns of its stay in its stage. p_outcome: that of the stage. p_entered_at: when it entered the stage.
CREATE OR REPLACE FUNCTION opportunity_in_stage(p_row opportunities, p_outcome text, p_entered_at timestamptz) RETURNS opportunities LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_row opportunities := p_row;
BEGIN
  v_row.stage_entered_at := CASE WHEN v_row.stage_id IS NOT NULL THEN p_entered_at END;
  v_row.closed_at := CASE WHEN p_outcome <> 'open' THEN v_row.stage_entered_at END;
  RETURN v_row;
END
$$;

-- The opportunity after its move to another stage. p_new has the new stage, and the time of the move in updated_at.
CREATE OR REPLACE FUNCTION move_to_stage(p_old opportunities, p_new opportunities) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new opportunities := p_new;
BEGIN
  v_new.stage_api_key_id := current_api_key_id();
  RETURN opportunity_in_stage(v_new, stage_outcome(v_new.organization_id, v_new.stage_id), v_new.updated_at);
END
$$;

-- Gives an opportunity a later updated_at. If it has entered its stage in this write, it has entered it then.
CREATE OR REPLACE FUNCTION delay_opportunity(p_organization_id uuid, p_id uuid, p_time timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE opportunities o
     SET updated_at = p_time, stage_entered_at = CASE WHEN o.stage_entered_at = o.updated_at THEN p_time ELSE o.stage_entered_at END,
         closed_at = CASE WHEN o.closed_at = o.updated_at THEN p_time ELSE o.closed_at END
    WHERE o.organization_id = p_organization_id AND o.id = p_id;
END
$$;
