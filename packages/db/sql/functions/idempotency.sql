-- Idempotency-Key: the result of a write is stored beside it, in its transaction, and a repeat answers from it.

-- The result of the first call with this key, or null; refuses another request under it. p_once: {operation, key, request_hash}.
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

-- The ids of the records in a result: of one write, or of a bulk call by index.
CREATE OR REPLACE FUNCTION result_ids(p_result jsonb) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ARRAY(
    SELECT DISTINCT (r.id #>> '{}')::uuid FROM (SELECT p_result->'id' UNION ALL SELECT jsonb_path_query(p_result, '$.*.id')) AS r (id)
     WHERE r.id <> 'null');
END
$$;

-- Stores a result for a day, and deletes a few of the organization's that have expired.
CREATE OR REPLACE FUNCTION keep_result(p_organization_id uuid, p_once jsonb, p_result jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz := write_time();
BEGIN
  -- A bulk call in which every item was refused: like a refused single call, it may be sent again.
  IF result_ids(p_result) = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO idempotency_keys (organization_id, operation, key, request_hash, result, record_ids, expires_at)
    VALUES (p_organization_id, p_once->>'operation', p_once->>'key', p_once->>'request_hash', p_result, result_ids(p_result), v_now + interval '24 hours')
  ON CONFLICT (organization_id, operation, key)
    DO UPDATE SET request_hash = excluded.request_hash, result = excluded.result, record_ids = excluded.record_ids, expires_at = excluded.expires_at;
  PERFORM purge_results(p_organization_id, 5);
END
$$;

-- Deletes results of an organization that have expired, p_limit at most. Returns how many.
CREATE OR REPLACE FUNCTION purge_results(p_organization_id uuid, p_limit int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_count int;
BEGIN
  DELETE FROM idempotency_keys k USING (
      SELECT e.operation, e.key FROM idempotency_keys e
       WHERE e.organization_id = p_organization_id AND e.expires_at <= clock_timestamp()
       ORDER BY e.expires_at LIMIT p_limit FOR UPDATE SKIP LOCKED) AS expired
    WHERE k.organization_id = p_organization_id AND k.operation = expired.operation AND k.key = expired.key;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$$;

-- Deletes the stored results that repeat values of a record: with the record, its values go from there too.
CREATE OR REPLACE FUNCTION forget_results(p_organization_id uuid, p_record_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  DELETE FROM idempotency_keys k USING (
      SELECT r.operation, r.key FROM idempotency_keys r
       WHERE r.organization_id = p_organization_id AND r.record_ids @> ARRAY[p_record_id]
       ORDER BY r.operation, r.key FOR UPDATE) AS found
    WHERE k.organization_id = p_organization_id AND k.operation = found.operation AND k.key = found.key;
END
$$;
