-- Webhooks. A worker claims an endpoint (claim_webhook), sends events, and stores the results (save_deliveries). There is no row per
-- delivery: the endpoint's position moves, and only a record with an event that failed has a row in webhook_parked.

-- The parked record whose next try shows whether a receiver that is down is back: the one that was tried most often.
CREATE OR REPLACE FUNCTION probe_of_webhook(p_organization_id uuid, p_id uuid) RETURNS webhook_parked LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row webhook_parked;
BEGIN
  SELECT * INTO v_row FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id AND p.retry_at IS NOT NULL
    ORDER BY p.attempts DESC, p.position LIMIT 1;
  RETURN v_row;
END
$$;

-- Claims an endpoint for a worker for half a minute, or extends its claim. Returns the endpoint and its parked records, or null if another
-- worker has it. While the receiver is down, only its probe can be due.
CREATE OR REPLACE FUNCTION claim_webhook(p_organization_id uuid, p_id uuid, p_worker_id uuid) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_until timestamptz := v_now + interval '30 seconds';
  v_row webhook_endpoints;
  v_probe webhook_parked := probe_of_webhook(p_organization_id, p_id);
  v_parked jsonb;
BEGIN
  UPDATE webhook_endpoints w SET claimed_by = p_worker_id, claimed_until = v_until
    WHERE w.organization_id = p_organization_id AND w.id = p_id AND (w.claimed_until IS NULL OR w.claimed_until < v_now OR w.claimed_by = p_worker_id)
    RETURNING * INTO v_row;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  IF v_row.previous_secret_until < v_now THEN
    v_row.previous_secret := NULL;
  END IF;
  v_parked := (SELECT coalesce(jsonb_agg(jsonb_build_object('object', p.object, 'record_id', p.record_id, 'position', p.position,
                        'attempts', p.attempts, 'is_due', coalesce(p.retry_at <= v_now, false) AND
                          (NOT v_row.is_failing OR (p.object, p.record_id) = (v_probe.object, v_probe.record_id))) ORDER BY p.retry_at, p.position), '[]')
                 FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id);
  RETURN to_jsonb(v_row) || jsonb_build_object('parked', v_parked);
END
$$;

-- Adds the row of deliveries, or extends the newest row if it is one of the last minute with the same attributes.
CREATE OR REPLACE FUNCTION log_delivered(p_organization_id uuid, p_endpoint_id uuid, p_attempt jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_last webhook_attempts;
  v_attempt webhook_attempts := jsonb_populate_record(NULL::webhook_attempts, p_attempt);
BEGIN
  SELECT * INTO v_last FROM webhook_attempts a WHERE a.organization_id = p_organization_id AND a.endpoint_id = p_endpoint_id
    ORDER BY a.id DESC LIMIT 1;
  IF v_attempt.outcome = 'delivered' AND v_last.outcome = 'delivered' AND v_last.type IS NULL AND v_attempt.type IS NULL
    AND v_attempt.attempt = v_last.attempt AND v_attempt.first_position > v_last.last_position AND v_last.occurred_at > v_now - interval '1 minute' THEN
    UPDATE webhook_attempts a SET last_position = v_attempt.last_position, events = a.events + v_attempt.events
      WHERE a.organization_id = p_organization_id AND a.endpoint_id = p_endpoint_id AND a.id = v_last.id;
    RETURN;
  END IF;
  v_attempt.organization_id := p_organization_id;
  v_attempt.endpoint_id := p_endpoint_id;
  v_attempt.occurred_at := v_now;
  v_attempt.id := new_id(v_now);
  INSERT INTO webhook_attempts VALUES (v_attempt.*);
END
$$;

-- Stores what a worker did with an endpoint. Returns false, and stores nothing, if the worker no longer has the endpoint.
-- p_result: {position, replay_position, is_test_done, failures, is_failing, disabled_because, is_released,
--   parked: [{object, record_id, position, attempts, delay_ms, error}], delivered: [{object, record_id}], attempts: [columns of webhook_attempts]}
-- delay_ms: the time until the next try; null after the last one. delivered: parked records with no event left to send.
-- replay_position: null if no replay was in progress.
CREATE OR REPLACE FUNCTION save_deliveries(p_organization_id uuid, p_id uuid, p_worker_id uuid, p_result jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_item jsonb;
  v_row webhook_endpoints;
  v_expired constant timestamptz := v_now - interval '7 days';
BEGIN
  SELECT * INTO v_row FROM webhook_endpoints w
    WHERE w.organization_id = p_organization_id AND w.id = p_id AND w.claimed_by = p_worker_id AND w.claimed_until > v_now FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_result->'delivered') i LOOP
    DELETE FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id
      AND p.object = v_item->>'object' AND p.record_id = (v_item->>'record_id')::uuid;
  END LOOP;
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_result->'parked') i LOOP
    INSERT INTO webhook_parked (organization_id, endpoint_id, object, record_id, position, attempts, retry_at, error)
      VALUES (p_organization_id, p_id, v_item->>'object', (v_item->>'record_id')::uuid, (v_item->>'position')::bigint, (v_item->>'attempts')::int,
              v_now + make_interval(secs => (v_item->>'delay_ms')::float / 1000), v_item->>'error')
      ON CONFLICT (organization_id, endpoint_id, object, record_id) DO UPDATE
        SET position = excluded.position, attempts = excluded.attempts, retry_at = excluded.retry_at, error = excluded.error;
  END LOOP;
  -- The receiver is back: everything is due.
  IF v_row.is_failing AND NOT (p_result->>'is_failing')::boolean THEN
    UPDATE webhook_parked p SET retry_at = v_now
      WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id AND p.attempts > 0 AND p.retry_at > v_now;
  END IF;
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_result->'attempts') i LOOP
    PERFORM log_delivered(p_organization_id, p_id, v_item);
  END LOOP;
  DELETE FROM webhook_attempts a WHERE a.organization_id = p_organization_id AND a.endpoint_id = p_id AND a.id < new_id(v_expired)
    AND a.occurred_at < v_expired;
  SELECT count(*), min(p.retry_at) INTO v_row.parked, v_row.retry_at
    FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id;
  IF (p_result->>'is_failing')::boolean THEN
    v_row.retry_at := (probe_of_webhook(p_organization_id, p_id)).retry_at;
  END IF;
  UPDATE webhook_endpoints w SET
      position = (p_result->>'position')::bigint,
      replay_position = nullif(coalesce((p_result->>'replay_position')::bigint, w.replay_position), w.replay_until),
      replay_until = CASE WHEN (p_result->>'replay_position')::bigint = w.replay_until THEN NULL ELSE w.replay_until END,
      is_test_due = w.is_test_due AND NOT (p_result->>'is_test_done')::boolean,
      failures = (p_result->>'failures')::int,
      -- Without a probe, new events show whether the receiver is back.
      is_failing = (p_result->>'is_failing')::boolean AND v_row.retry_at IS NOT NULL,
      parked = v_row.parked,
      retry_at = v_row.retry_at,
      state = CASE WHEN p_result->>'disabled_because' IS NULL THEN w.state ELSE 'disabled' END,
      state_reason = coalesce(p_result->>'disabled_because', w.state_reason),
      claimed_until = CASE WHEN (p_result->>'is_released')::boolean THEN v_now ELSE v_now + interval '30 seconds' END
    WHERE w.organization_id = p_organization_id AND w.id = p_id;
  RETURN true;
END
$$;

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
