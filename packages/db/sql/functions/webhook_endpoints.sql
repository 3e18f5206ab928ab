-- Changes of webhook endpoints through the API, with their audit events. webhooks.sql has what the worker calls.

-- The details of an audit event of an endpoint: its URL, the values that are new, and the old ones in `before`. p_before, p_after: the
-- endpoint as the API returns it; null before it is created and after it is deleted. It never has a secret.
CREATE OR REPLACE FUNCTION webhook_audit_details(p_before jsonb, p_after jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_new jsonb := '{}';
  v_old jsonb := '{}';
  v_key text;
BEGIN
  FOREACH v_key IN ARRAY '{url,description,objects,types,changed,payload,state,state_reason}'::text[] LOOP
    CONTINUE WHEN coalesce(p_before->v_key, 'null') = coalesce(p_after->v_key, 'null');
    IF p_after IS NOT NULL THEN
      v_new := v_new || jsonb_build_object(v_key, p_after->v_key);
    END IF;
    IF p_before IS NOT NULL THEN
      v_old := v_old || jsonb_build_object(v_key, p_before->v_key);
    END IF;
  END LOOP;
  RETURN jsonb_build_object('url', coalesce(p_after, p_before)->'url') || v_new
    || CASE WHEN v_old = '{}' THEN '{}' ELSE jsonb_build_object('before', v_old) END;
END
$$;

-- Stores what callers may change of an endpoint. The caller holds the lock of its row.
CREATE OR REPLACE FUNCTION update_webhook_row(n webhook_endpoints) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE webhook_endpoints w SET
      (url, description, objects, types, changed, payload, state, state_reason, secret, previous_secret, previous_secret_until,
       replay_position, replay_until, is_test_due, failures, is_failing, failing_since, failed_at, probe_at, wait_until, pace, retry_at, updated_at)
    = (n.url, n.description, n.objects, n.types, n.changed, n.payload, n.state, n.state_reason, n.secret, n.previous_secret, n.previous_secret_until,
       n.replay_position, n.replay_until, n.is_test_due, n.failures, n.is_failing, n.failing_since, n.failed_at, n.probe_at, n.wait_until, n.pace, n.retry_at, n.updated_at)
    WHERE w.organization_id = n.organization_id AND w.id = n.id;
END
$$;

-- Adds an endpoint, which receives the events after p_last. Returns a row of nulls if the organization has p_most endpoints.
CREATE OR REPLACE FUNCTION insert_webhook(p_organization_id uuid, p_id uuid, p_set jsonb, p_most int, p_last bigint) RETURNS webhook_endpoints LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row webhook_endpoints;
  v_count bigint := (SELECT count(*) FROM webhook_endpoints w WHERE w.organization_id = p_organization_id);
BEGIN
  IF v_count < p_most THEN
    v_row := jsonb_populate_record(v_row, p_set);
    INSERT INTO webhook_endpoints (organization_id, id, url, description, objects, types, changed, payload, secret, position)
      VALUES (p_organization_id, p_id, v_row.url, v_row.description, v_row.objects, v_row.types, v_row.changed, v_row.payload, v_row.secret, p_last)
      RETURNING * INTO v_row;
  END IF;
  RETURN v_row;
END
$$;

-- The endpoint with a change applied. p_change: see change_webhook.
CREATE OR REPLACE FUNCTION changed_webhook(p_old webhook_endpoints, p_action text, p_change jsonb) RETURNS webhook_endpoints LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_new webhook_endpoints := jsonb_populate_record(p_old, p_change->'set');
  v_continues boolean := p_action = 'update' AND p_change->'set'->>'state' = 'active';
  v_from bigint := p_change->'from';
  v_to bigint := p_change->'to';
BEGIN
  IF p_action IN ('update', 'rotate_secret') THEN
    v_new.updated_at := v_now;
  END IF;
  IF p_action = 'rotate_secret' THEN
    v_new.previous_secret := p_old.secret;
    v_new.previous_secret_until := v_now + interval '1 day';
  ELSIF p_action = 'test' THEN
    v_new.is_test_due := true;
  ELSIF p_action = 'replay' AND v_from <= p_old.position THEN
    v_new.replay_position := v_from - 1;
    v_new.replay_until := least(v_to, p_old.position);
  END IF;
  IF v_continues THEN
    v_new.state_reason := NULL;
  END IF;
  IF v_continues OR p_action = 'replay' THEN
    v_new.retry_at := CASE WHEN p_old.parked > 0 THEN v_now END;
  END IF;
  -- Forgets how the receiver was doing.
  IF v_continues OR p_action = 'replay' OR p_change->'set' ? 'url' THEN
    v_new.failures := 0;
    v_new.is_failing := false;
    v_new.failing_since := NULL;
    v_new.failed_at := NULL;
    v_new.probe_at := NULL;
    v_new.wait_until := NULL;
    v_new.pace := NULL;
  END IF;
  RETURN v_new;
END
$$;

-- Makes parked events of an endpoint due: all, or those of a range.
CREATE OR REPLACE FUNCTION retry_parked(p_organization_id uuid, p_id uuid, p_from bigint, p_to bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  UPDATE webhook_parked p SET retry_at = v_now, attempts = 0
    WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id AND (p_from IS NULL OR p.position BETWEEN p_from AND p_to);
END
$$;

-- Creates, updates, tests or deletes an endpoint, replaces its secret, or sends events to it again, and writes the audit event. p_action: its
-- name in the audit trail. p_change: {set: columns, most: how many endpoints an organization may have, from, to: positions to send again}.
-- Returns the endpoint afterwards, of a deletion that before. webhook.id is null, and nothing has changed, if there is no such endpoint, too
-- many exist, or the last replay has not ended.
CREATE OR REPLACE FUNCTION change_webhook(p_organization_id uuid, p_id uuid, p_action text, p_change jsonb, p_actor text,
  OUT webhook webhook_endpoints, OUT last_position bigint, OUT read_mark text) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_old webhook_endpoints;
  v_before jsonb;
  v_after jsonb;
BEGIN
  last_position := coalesce((SELECT h.position FROM event_heads h WHERE h.organization_id = p_organization_id), 0);
  IF p_action = 'create' THEN
    webhook := insert_webhook(p_organization_id, p_id, p_change->'set', (p_change->>'most')::int, last_position);
  ELSE
    SELECT * INTO v_old FROM webhook_endpoints w WHERE w.organization_id = p_organization_id AND w.id = p_id FOR UPDATE;
    IF v_old.id IS NULL OR (p_action = 'replay' AND v_old.replay_until IS NOT NULL) THEN
      RETURN;
    END IF;
    v_before := to_jsonb(v_old);
    webhook := v_old;
    IF p_action = 'delete' THEN
      DELETE FROM webhook_endpoints w WHERE w.organization_id = p_organization_id AND w.id = p_id;
    ELSE
      webhook := changed_webhook(v_old, p_action, p_change);
      PERFORM update_webhook_row(webhook);
      IF p_action = 'replay' OR (p_action = 'update' AND p_change->'set'->>'state' = 'active') THEN
        PERFORM retry_parked(p_organization_id, p_id, (p_change->>'from')::bigint, (p_change->>'to')::bigint);
      END IF;
    END IF;
  END IF;
  IF webhook.id IS NULL THEN
    RETURN;
  END IF;
  v_after := CASE WHEN p_action <> 'delete' THEN to_jsonb(webhook) END;
  INSERT INTO audit_events (organization_id, id, actor, command_id, action, target, details)
    VALUES (p_organization_id, gen_random_uuid(), p_actor, gen_random_uuid(), 'webhook.' || p_action, p_id::text,
            webhook_audit_details(v_before, v_after) || only_keys(p_change, '{from,to}'));
  read_mark := read_mark();
END
$$;
