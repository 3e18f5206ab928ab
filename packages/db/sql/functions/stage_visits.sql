-- The stays of opportunities in stages. The current stay is in the row of the opportunity, so that a create writes no row for it. A move
-- adds the stay that ends.

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

-- Stores a stay of an opportunity that has ended, after its others.
CREATE OR REPLACE FUNCTION store_visit(p_row opportunities, p_left_at timestamptz, p_next_stage_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_last int;
BEGIN
  SELECT max(v.place) INTO v_last FROM stage_visits v WHERE v.organization_id = p_row.organization_id AND v.opportunity_id = p_row.id;
  INSERT INTO stage_visits (organization_id, opportunity_id, place, stage_id, entered_at, left_at, api_key_id, next_stage_id)
    VALUES (p_row.organization_id, p_row.id, coalesce(v_last, 0) + 1, p_row.stage_id, p_row.stage_entered_at, p_left_at, p_row.stage_api_key_id,
            p_next_stage_id);
END
$$;

-- The opportunity after its move to another stage, whose time is p_new.updated_at.
CREATE OR REPLACE FUNCTION move_to_stage(p_old opportunities, p_new opportunities) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new opportunities := p_new;
BEGIN
  IF p_old.stage_entered_at IS NOT NULL THEN
    PERFORM store_visit(p_old, v_new.updated_at, v_new.stage_id);
  END IF;
  v_new.stage_api_key_id := current_api_key_id();
  RETURN opportunity_in_stage(v_new, stage_outcome(v_new.organization_id, v_new.stage_id), v_new.updated_at);
END
$$;

-- All stays of an opportunity, for the event of its deletion: [[stage_id, entered_at, left_at, api_key_id, next_stage_id]], in their order.
-- left_at of the current stay is null.
CREATE OR REPLACE FUNCTION stage_visits_of(p_row opportunities) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_visits jsonb;
BEGIN
  SELECT coalesce(jsonb_agg(jsonb_build_array(v.stage_id, v.entered_at, v.left_at, v.api_key_id, v.next_stage_id) ORDER BY v.place), '[]') INTO v_visits
    FROM stage_visits v WHERE v.organization_id = p_row.organization_id AND v.opportunity_id = p_row.id;
  IF p_row.stage_entered_at IS NULL THEN
    RETURN v_visits;
  END IF;
  RETURN v_visits || jsonb_build_array(jsonb_build_array(p_row.stage_id, p_row.stage_entered_at, NULL, p_row.stage_api_key_id, NULL));
END
$$;

-- Stores stays for an opportunity that has none, in the order of p_visits, which has the form of stage_visits_of. A stay without an end ends
-- at p_left_at, with p_next_stage_id after it.
CREATE OR REPLACE FUNCTION store_visits(p_organization_id uuid, p_opportunity_id uuid, p_visits jsonb, p_left_at timestamptz, p_next_stage_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  INSERT INTO stage_visits (organization_id, opportunity_id, place, stage_id, entered_at, left_at, api_key_id, next_stage_id)
    SELECT p_organization_id, p_opportunity_id, v.place, (v.visit->>0)::uuid, (v.visit->>1)::timestamptz, coalesce((v.visit->>2)::timestamptz, p_left_at),
           (v.visit->>3)::uuid, CASE WHEN v.visit->>2 IS NULL THEN p_next_stage_id ELSE (v.visit->>4)::uuid END
      FROM jsonb_array_elements(p_visits) WITH ORDINALITY v (visit, place);
END
$$;

-- Adds the stays of an opportunity that was merged into another one to those of the kept one, in the order of time. p_kept: the kept row before
-- the merge. p_visits: the stage_visits_of the other. p_merged_at: when the current stay of the other ended.
CREATE OR REPLACE FUNCTION merge_visits(p_kept opportunities, p_visits jsonb, p_merged_at timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_kept opportunities := p_kept;
  v_visits jsonb;
BEGIN
  IF p_visits = '[]' THEN
    RETURN;
  END IF;
  v_kept.stage_entered_at := NULL;
  v_visits := (SELECT jsonb_agg(v.visit ORDER BY (v.visit->>1)::timestamptz, (v.visit->>2)::timestamptz, v.n)
                 FROM jsonb_array_elements(stage_visits_of(v_kept) || p_visits) WITH ORDINALITY v (visit, n));
  DELETE FROM stage_visits v WHERE v.organization_id = p_kept.organization_id AND v.opportunity_id = p_kept.id;
  PERFORM store_visits(p_kept.organization_id, p_kept.id, v_visits, p_merged_at, NULL);
END
$$;

-- The restored opportunity in its stage. If it still has the stage that it had when it was deleted, its stay continues.
-- p_visits: the stage_visits_of the deleted one.
CREATE OR REPLACE FUNCTION restored_in_stage(p_row opportunities, p_visits jsonb) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
  v_last jsonb := p_visits->-1;
  v_entered_at timestamptz := v_row.updated_at;
BEGIN
  v_row.stage_api_key_id := current_api_key_id();
  IF v_last->>2 IS NULL AND v_last->>0 = v_row.stage_id::text THEN
    v_row.stage_api_key_id := v_last->>3;
    v_entered_at := v_last->>1;
  END IF;
  RETURN opportunity_in_stage(v_row, stage_outcome(v_row.organization_id, v_row.stage_id), v_entered_at);
END
$$;

-- Stores the earlier stays of a restored opportunity, the result of restored_in_stage.
CREATE OR REPLACE FUNCTION restore_visits(p_row opportunities, p_visits jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_visits jsonb := coalesce(p_visits, '[]');
BEGIN
  IF v_visits->-1->>2 IS NULL AND (v_visits->-1->>1)::timestamptz = p_row.stage_entered_at THEN
    v_visits := v_visits - -1;
  END IF;
  PERFORM store_visits(p_row.organization_id, p_row.id, v_visits, p_row.updated_at, p_row.stage_id);
END
$$;

-- Gives the opportunity of an event a later updated_at. The stays that this write has begun and ended then begin and end at that time. The
-- event of a restoration does not say whether it begins a stay, so those keep their times.
CREATE OR REPLACE FUNCTION delay_opportunity(p_organization_id uuid, p_event events, p_time timestamptz) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities;
BEGIN
  SELECT * INTO v_row FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_event.record_id;
  IF p_event.type = 'opportunity.merged' OR 'stage_id' = ANY (p_event.changed) THEN
    UPDATE stage_visits v SET left_at = p_time
      WHERE v.organization_id = p_organization_id AND v.opportunity_id = v_row.id AND v.left_at = v_row.updated_at;
  END IF;
  IF v_row.stage_entered_at = v_row.updated_at AND (p_event.type = 'opportunity.created' OR 'stage_id' = ANY (p_event.changed)) THEN
    v_row.stage_entered_at := p_time;
    v_row.closed_at := CASE WHEN v_row.closed_at IS NOT NULL THEN p_time END;
  END IF;
  UPDATE opportunities o SET updated_at = p_time, stage_entered_at = v_row.stage_entered_at, closed_at = v_row.closed_at
    WHERE o.organization_id = p_organization_id AND o.id = v_row.id;
END
$$;
