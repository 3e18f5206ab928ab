-- Webhooks. A worker claims an endpoint (claim_webhook), sends events, and stores the results (save_deliveries). There is no row per
-- delivery: the endpoint's position moves, and only a record with an event that failed has a row in webhook_parked.

-- Claims an endpoint for a worker for some seconds. Returns the endpoint, the parked records whose next try is due, and times in
-- milliseconds; or null if another worker has it. Time in which nothing was tried counts as at most 25 hours of failing, a little more than
-- the longest time between two tries.
CREATE OR REPLACE FUNCTION claim_webhook(p_organization_id uuid, p_id uuid, p_worker_id uuid, p_seconds float) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_until timestamptz := v_now + make_interval(secs => p_seconds);
  v_tried timestamptz := v_now - interval '25 hours';
  v_row webhook_endpoints;
  v_due jsonb;
BEGIN
  SELECT * INTO v_row FROM webhook_endpoints w WHERE w.organization_id = p_organization_id AND w.id = p_id FOR NO KEY UPDATE;
  IF v_row.id IS NULL OR (v_row.claimed_until >= v_now AND v_row.claimed_by IS DISTINCT FROM p_worker_id) THEN
    RETURN NULL;
  END IF;
  v_row.claimed_by := p_worker_id;
  v_row.claimed_until := v_until;
  v_row.failing_since := v_row.failing_since + greatest(interval '0', v_tried - v_row.failed_at);
  v_row.failed_at := greatest(v_row.failed_at, v_tried);
  UPDATE webhook_endpoints w SET claimed_by = v_row.claimed_by, claimed_until = v_row.claimed_until, failing_since = v_row.failing_since, failed_at = v_row.failed_at
    WHERE w.organization_id = p_organization_id AND w.id = p_id;
  IF v_row.previous_secret_until < v_now THEN
    v_row.previous_secret := NULL;
  END IF;
  v_due := (SELECT coalesce(jsonb_agg(jsonb_build_object('object', p.object, 'record_id', p.record_id, 'position', p.position,
                     'attempts', p.attempts, 'deferrals', p.deferrals) ORDER BY p.retry_at, p.position), '[]')
              FROM (SELECT * FROM webhook_parked d WHERE d.organization_id = p_organization_id AND d.endpoint_id = p_id AND d.retry_at <= v_now
                     ORDER BY d.retry_at, d.position LIMIT 50) p);
  RETURN to_jsonb(v_row) || jsonb_build_object('due', v_due, 'failing_ms', extract(epoch FROM v_now - v_row.failing_since) * 1000,
    'probe_ms', extract(epoch FROM v_row.probe_at - v_now) * 1000);
END
$$;

-- Adds the row of deliveries, or extends the newest row if it is one of the last minute with the same attributes. An answer is stored only
-- if its event still has values, because it may repeat those of an erased record.
CREATE OR REPLACE FUNCTION log_delivered(p_organization_id uuid, p_endpoint_id uuid, p_attempt jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_last webhook_attempts;
  v_attempt webhook_attempts := jsonb_populate_record(NULL::webhook_attempts, p_attempt);
BEGIN
  IF v_attempt.record_id IS NOT NULL AND v_attempt.outcome IN ('failed', 'deferred') THEN
    PERFORM 1 FROM events e WHERE e.organization_id = p_organization_id AND e.position = v_attempt.first_position AND NOT e.is_erased;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  END IF;
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
  v_attempt.id := next_id(v_last.id, v_now);
  INSERT INTO webhook_attempts VALUES (v_attempt.*);
END
$$;

-- Stores what a worker did with an endpoint. Returns false, and stores nothing, if another worker has claimed the endpoint since.
-- p_result: {updated_at, position_before, position, replay_position, is_test_done, failures, is_failing, has_failed, probe_ms, wait_ms, pace, disabled_because,
--   is_released, parked: [{object, record_id, position, was, attempts, deferrals, delay_ms, error, has_failed}],
--   delivered: [{object, record_id, was}], attempts: [columns of webhook_attempts]}
-- delay_ms: the time until the next try; null after the last one. delivered: parked records with no event left to send.
-- was: the position of the parked record that the worker knows, or null. position_before: that of the endpoint. A caller may have skipped
-- events since: then the position does not go back, and skipped events are not parked.
-- replay_position: null if no replay was in progress. updated_at: that of the endpoint when it was claimed. If a caller has changed the endpoint
-- since, for example continued it or given it another URL, the result says nothing about the receiver as it is now: only events are stored.
CREATE OR REPLACE FUNCTION save_deliveries(p_organization_id uuid, p_id uuid, p_worker_id uuid, p_result jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_item jsonb;
  v_row webhook_endpoints;
  v_position bigint;
  v_was bigint;
  v_before bigint := (p_result->>'position_before')::bigint;
  v_has_failed boolean := (p_result->>'has_failed')::boolean;
  v_failures int := (p_result->>'failures')::int;
  v_expired constant timestamptz := v_now - interval '7 days';
  v_expired_id constant uuid := new_id(v_expired);
  v_replayed bigint;
  v_is_current boolean;
BEGIN
  SELECT * INTO v_row FROM webhook_endpoints w
    WHERE w.organization_id = p_organization_id AND w.id = p_id AND w.claimed_by = p_worker_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_result->'delivered') i LOOP
    v_was := (v_item->>'was')::bigint;
    DELETE FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id
      AND p.object = v_item->>'object' AND p.record_id = (v_item->>'record_id')::uuid AND (v_was IS NULL OR p.position = v_was);
  END LOOP;
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_result->'parked') i LOOP
    v_position := (v_item->>'position')::bigint;
    v_was := (v_item->>'was')::bigint;
    CONTINUE WHEN v_was IS NULL AND v_position > v_before AND v_position <= v_row.position;
    INSERT INTO webhook_parked AS p (organization_id, endpoint_id, object, record_id, position, attempts, deferrals, retry_at, failed_at, error)
      VALUES (p_organization_id, p_id, v_item->>'object', (v_item->>'record_id')::uuid, v_position, (v_item->>'attempts')::int,
              (v_item->>'deferrals')::int, v_now + make_interval(secs => (v_item->>'delay_ms')::float / 1000),
              CASE WHEN (v_item->>'has_failed')::boolean THEN v_now END, v_item->>'error')
      ON CONFLICT (organization_id, endpoint_id, object, record_id) DO UPDATE
        SET position = excluded.position, attempts = excluded.attempts, deferrals = excluded.deferrals, retry_at = excluded.retry_at,
            failed_at = excluded.failed_at, error = excluded.error
        WHERE v_was IS NULL OR p.position = v_was;
  END LOOP;
  -- The receiver is back: what failed while it was down is due.
  IF v_row.is_failing AND NOT (p_result->>'is_failing')::boolean THEN
    UPDATE webhook_parked p SET retry_at = v_now
      WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id AND p.retry_at > v_now AND p.failed_at >= v_row.failing_since;
  END IF;
  FOR v_item IN SELECT i.value FROM jsonb_array_elements(p_result->'attempts') i LOOP
    PERFORM log_delivered(p_organization_id, p_id, v_item);
  END LOOP;
  DELETE FROM webhook_attempts a WHERE a.organization_id = p_organization_id AND a.endpoint_id = p_id AND a.id < v_expired_id
    AND a.occurred_at < v_expired;
  SELECT count(*), min(p.retry_at) INTO v_row.parked, v_row.retry_at
    FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id;
  v_row.position := greatest(v_row.position, (p_result->>'position')::bigint);
  v_replayed := coalesce((p_result->>'replay_position')::bigint, v_row.replay_position);
  IF v_replayed = v_row.replay_until THEN
    v_replayed := NULL;
    v_row.replay_until := NULL;
  END IF;
  v_is_current := v_row.updated_at = (p_result->>'updated_at')::timestamptz;
  IF v_is_current THEN
    v_row.failures := v_failures;
    v_row.failed_at := CASE WHEN v_failures = 0 THEN NULL WHEN v_has_failed THEN v_now ELSE v_row.failed_at END;
    v_row.failing_since := CASE WHEN v_failures = 0 THEN NULL ELSE coalesce(v_row.failing_since, v_now) END;
    v_row.is_failing := (p_result->>'is_failing')::boolean;
    v_row.probe_at := v_now + make_interval(secs => (p_result->>'probe_ms')::float / 1000);
    v_row.wait_until := v_now + make_interval(secs => (p_result->>'wait_ms')::float / 1000);
    v_row.pace := nullif(p_result->'pace', 'null');
  END IF;
  IF v_is_current AND p_result->>'disabled_because' IS NOT NULL THEN
    v_row.state := 'disabled';
    v_row.state_reason := p_result->>'disabled_because';
  END IF;
  IF (p_result->>'is_released')::boolean THEN
    v_row.claimed_by := NULL;
    v_row.claimed_until := v_now;
  END IF;
  UPDATE webhook_endpoints w SET
      position = v_row.position, replay_position = v_replayed, replay_until = v_row.replay_until,
      is_test_due = w.is_test_due AND NOT (p_result->>'is_test_done')::boolean,
      failures = v_row.failures, is_failing = v_row.is_failing, failing_since = v_row.failing_since, failed_at = v_row.failed_at,
      probe_at = v_row.probe_at, wait_until = v_row.wait_until, pace = v_row.pace, parked = v_row.parked, retry_at = v_row.retry_at,
      state = v_row.state, state_reason = v_row.state_reason, claimed_by = v_row.claimed_by, claimed_until = v_row.claimed_until
    WHERE w.organization_id = p_organization_id AND w.id = p_id;
  RETURN true;
END
$$;

-- Gives up events that were not delivered, and returns how many; null if there is no such endpoint. A range can end after the endpoint's
-- position, which then moves. Without a range, the failed event of each parked record is given up. The later events of a record follow.
-- Events that still wait for an earlier one of their record, before the range, are not given up.
CREATE OR REPLACE FUNCTION skip_deliveries(p_organization_id uuid, p_id uuid, p_from bigint, p_to bigint, p_actor text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
  v_row webhook_endpoints;
  v_parked webhook_parked;
  v_until bigint;
  v_next bigint;
  v_count bigint;
  v_skipped bigint := 0;
  v_attempt_id uuid;
BEGIN
  SELECT * INTO v_row FROM webhook_endpoints w WHERE w.organization_id = p_organization_id AND w.id = p_id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  v_attempt_id := (SELECT a.id FROM webhook_attempts a WHERE a.organization_id = p_organization_id AND a.endpoint_id = p_id ORDER BY a.id DESC LIMIT 1);
  FOR v_parked IN
    SELECT * FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id
       AND (p_from IS NULL OR p.position BETWEEN p_from AND p_to) ORDER BY p.position
  LOOP
    v_until := coalesce(p_to, v_parked.position);
    SELECT count(*) FILTER (WHERE e.position <= v_until), min(e.position) FILTER (WHERE e.position > v_until) INTO v_count, v_next FROM events e
      WHERE e.organization_id = p_organization_id AND e.object = v_parked.object AND e.record_id = v_parked.record_id
        AND e.position >= v_parked.position AND e.position <= greatest(v_until, v_row.position);
    v_count := greatest(v_count, 1);
    v_skipped := v_skipped + v_count;
    v_attempt_id := next_id(v_attempt_id, v_now);
    INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, object, record_id, first_position, last_position, events, occurred_at)
      VALUES (p_organization_id, p_id, v_attempt_id, 'skipped', v_parked.object, v_parked.record_id, v_parked.position, v_until, v_count, v_now);
    IF v_next IS NULL THEN
      DELETE FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id
        AND p.object = v_parked.object AND p.record_id = v_parked.record_id;
    ELSE
      UPDATE webhook_parked p SET position = v_next, attempts = 0, deferrals = 0, retry_at = v_now, failed_at = NULL, error = NULL
        WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id AND p.object = v_parked.object AND p.record_id = v_parked.record_id;
    END IF;
  END LOOP;
  IF p_to > v_row.position THEN
    v_count := p_to - v_row.position;
    v_skipped := v_skipped + v_count;
    v_attempt_id := next_id(v_attempt_id, v_now);
    INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, first_position, last_position, events, occurred_at)
      VALUES (p_organization_id, p_id, v_attempt_id, 'skipped', v_row.position + 1, p_to, v_count, v_now);
    v_row.position := p_to;
  END IF;
  SELECT count(*), min(p.retry_at) INTO v_row.parked, v_row.retry_at
    FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = p_id;
  UPDATE webhook_endpoints w SET position = v_row.position, parked = v_row.parked, retry_at = v_row.retry_at
    WHERE w.organization_id = p_organization_id AND w.id = p_id;
  INSERT INTO audit_events (organization_id, id, actor, command_id, action, target, details)
    VALUES (p_organization_id, new_id(v_now), p_actor, new_id(v_now), 'webhook.skip', p_id::text,
            jsonb_build_object('url', v_row.url, 'from', p_from, 'to', p_to, 'skipped_events', v_skipped));
  RETURN v_skipped;
END
$$;
