-- Idempotency-Key: the result of a write is kept beside it, in its transaction, and a repeat answers from it.

-- p_once: {operation, key, request_hash}. The result of the first call with this key, or null; refuses another request under it.
CREATE FUNCTION first_result(p_organization_id uuid, p_once jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_found idempotency_keys;
BEGIN
  SELECT * INTO v_found FROM idempotency_keys k
    WHERE k.organization_id = p_organization_id AND k.operation = p_once->>'operation' AND k.key = p_once->>'key'
      AND k.expires_at > clock_timestamp();
  IF v_found.request_hash <> p_once->>'request_hash' THEN
    PERFORM refuse('idempotency_mismatch');
  END IF;
  RETURN v_found.result;
END
$$;

-- Keeps a result for a day, and clears away a few of the organization's that are older: more than one call adds, so none piles up.
CREATE FUNCTION keep_result(p_organization_id uuid, p_once jsonb, p_result jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  INSERT INTO idempotency_keys (organization_id, operation, key, request_hash, result, expires_at)
    VALUES (p_organization_id, p_once->>'operation', p_once->>'key', p_once->>'request_hash', p_result, v_now + interval '24 hours')
  ON CONFLICT (organization_id, operation, key)
    DO UPDATE SET request_hash = excluded.request_hash, result = excluded.result, expires_at = excluded.expires_at;
  DELETE FROM idempotency_keys k USING (
      SELECT e.operation, e.key FROM idempotency_keys e
       WHERE e.organization_id = p_organization_id AND e.expires_at <= v_now
       ORDER BY e.expires_at LIMIT 5 FOR UPDATE SKIP LOCKED) AS expired
    WHERE k.organization_id = p_organization_id AND k.operation = expired.operation AND k.key = expired.key;
END
$$;

-- Runs a write, or answers what it answered before. p_once is null without an Idempotency-Key. Everything within is a look-up by
-- key: the settings spare it new plans for every call, and a plan from when a table was small that reads all of it.
CREATE FUNCTION write(p_organization_id uuid, p_function text, p_input jsonb, p_once jsonb, OUT result jsonb, OUT replayed boolean)
LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  replayed := false;
  IF p_once IS NULL THEN
    result := run_write(p_organization_id, p_function, p_input);
    RETURN;
  END IF;
  result := first_result(p_organization_id, p_once);
  IF result IS NULL THEN
    -- Held to the end of the transaction: whoever finds it taken meets a call that is still in flight, and whoever gets it
    -- looks again, because the call before may have ended in between.
    IF NOT pg_try_advisory_xact_lock(hashtextextended(concat_ws(E'\n', p_organization_id, p_once->>'operation', p_once->>'key'), 0)) THEN
      PERFORM refuse('conflict', '{"message": "A request with this Idempotency-Key is in flight"}');
    END IF;
    result := first_result(p_organization_id, p_once);
  END IF;
  replayed := result IS NOT NULL;
  IF NOT replayed THEN
    result := run_write(p_organization_id, p_function, p_input);
    PERFORM keep_result(p_organization_id, p_once, result);
  END IF;
END
$$;
