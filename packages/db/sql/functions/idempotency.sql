-- Idempotency-Key: a write stores its result in its own transaction, and a repeated request gets this result.
-- p_idempotency: {operation, key, request_hash}.

-- The stored result of the first call with this key, or null. Refuses a different request with the same key.
CREATE OR REPLACE FUNCTION find_stored_result(p_organization_id uuid, p_idempotency jsonb, OUT result jsonb, OUT refusal jsonb) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_found idempotency_keys;
BEGIN
  SELECT * INTO v_found FROM idempotency_keys k
    WHERE k.organization_id = p_organization_id AND k.operation = p_idempotency->>'operation' AND k.key = p_idempotency->>'key'
      AND k.expires_at > clock_timestamp();
  IF v_found.request_hash <> p_idempotency->>'request_hash' THEN
    refusal := refusal_of('idempotency_mismatch');
  ELSE
    result := v_found.result;
  END IF;
END
$$;

-- The stored result of the first call with this key, or null. In that case, the call is the first one, and others with the key are refused
-- until its transaction ends.
CREATE OR REPLACE FUNCTION find_or_claim_result(p_organization_id uuid, p_idempotency jsonb, OUT result jsonb, OUT refusal jsonb) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  SELECT f.result, f.refusal INTO result, refusal FROM find_stored_result(p_organization_id, p_idempotency) f;
  IF result IS NOT NULL OR refusal IS NOT NULL THEN
    RETURN;
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtextextended(concat_ws(E'\n', p_organization_id, p_idempotency->>'operation', p_idempotency->>'key'), 0)) THEN
    refusal := refusal_of('idempotency_in_flight');
    RETURN;
  END IF;
  -- Another call with this key may have ended after the first read.
  SELECT f.result, f.refusal INTO result, refusal FROM find_stored_result(p_organization_id, p_idempotency) f;
END
$$;

-- The ids of the records in a result: of a single write, or of the applied items of a bulk call.
CREATE OR REPLACE FUNCTION result_record_ids(p_result jsonb) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT (r.id #>> '{}')::uuid
      FROM (SELECT p_result->'id' UNION ALL SELECT jsonb_path_query(p_result, '$.* ? (!exists (@.errors)).id')) AS r (id)
     WHERE r.id <> 'null');
END
$$;

-- An id in record_ids that stands for any record. Results with refused items have it, because error texts may repeat values of any person.
-- So every deletion deletes these results.
CREATE OR REPLACE FUNCTION any_record_id() RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
  SELECT '00000000-0000-0000-0000-000000000000'::uuid
$$;

-- Stores a result for 24 hours. The hourly upkeep of the inbound gateways deletes it afterwards.
CREATE OR REPLACE FUNCTION store_result(p_organization_id uuid, p_idempotency jsonb, p_result jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_expires_at timestamptz := write_time() + interval '24 hours';
  v_record_ids uuid[] := result_record_ids(p_result);
BEGIN
  -- If every item of a bulk call was refused, nothing is stored: like a refused single call, it may be sent again with the same key.
  IF v_record_ids = '{}' THEN
    RETURN;
  END IF;
  IF jsonb_path_exists(p_result, '$.*.errors') THEN
    v_record_ids := v_record_ids || any_record_id();
  END IF;
  INSERT INTO idempotency_keys (organization_id, operation, key, request_hash, result, record_ids, expires_at)
    VALUES (p_organization_id, p_idempotency->>'operation', p_idempotency->>'key', p_idempotency->>'request_hash', p_result, v_record_ids, v_expires_at)
  ON CONFLICT (organization_id, operation, key)
    DO UPDATE SET request_hash = excluded.request_hash, result = excluded.result, record_ids = excluded.record_ids, expires_at = excluded.expires_at;
END
$$;

-- Deletes at most p_limit expired results of an organization. Returns how many it deleted.
CREATE OR REPLACE FUNCTION delete_expired_results(p_organization_id uuid, p_limit int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := clock_timestamp();
  v_count int;
BEGIN
  DELETE FROM idempotency_keys k USING (
      SELECT e.operation, e.key FROM idempotency_keys e
       WHERE e.organization_id = p_organization_id AND e.expires_at <= v_now
       ORDER BY e.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED) AS expired
    WHERE k.organization_id = p_organization_id AND k.operation = expired.operation AND k.key = expired.key;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;

-- Deletes the stored results that may contain values of a deleted record, at most p_limit. Returns false if more may be left.
CREATE OR REPLACE FUNCTION delete_results_of_record(p_organization_id uuid, p_record_id uuid, p_limit int DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM idempotency_keys k USING (
      SELECT r.operation, r.key FROM idempotency_keys r
       WHERE r.organization_id = p_organization_id AND r.record_ids && ARRAY[p_record_id, any_record_id()]
       ORDER BY r.operation, r.key LIMIT p_limit FOR UPDATE) AS found
    WHERE k.organization_id = p_organization_id AND k.operation = found.operation AND k.key = found.key;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN p_limit IS NULL OR v_count < p_limit;
END
$$;
