-- p_once: {operation, key, request_hash}. The result of the first call with this key, or null; refuses another request under it.
CREATE OR REPLACE FUNCTION first_result(p_organization_id uuid, p_once jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
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
CREATE OR REPLACE FUNCTION keep_result(p_organization_id uuid, p_once jsonb, p_result jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  INSERT INTO idempotency_keys (organization_id, operation, key, request_hash, result, record_ids, expires_at)
    VALUES (p_organization_id, p_once->>'operation', p_once->>'key', p_once->>'request_hash', p_result, ARRAY[]::uuid[], v_now + interval '24 hours')
  ON CONFLICT (organization_id, operation, key)
    DO UPDATE SET request_hash = excluded.request_hash, result = excluded.result, expires_at = excluded.expires_at;
  DELETE FROM idempotency_keys k USING (
      SELECT e.operation, e.key FROM idempotency_keys e
       WHERE e.organization_id = p_organization_id AND e.expires_at <= v_now
       ORDER BY e.expires_at LIMIT 5 FOR UPDATE SKIP LOCKED) AS expired
    WHERE k.organization_id = p_organization_id AND k.operation = expired.operation AND k.key = expired.key;
END
$$;
