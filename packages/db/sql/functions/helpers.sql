-- Functions and rules that all write functions share.
--
-- * Every function that reads tables is VOLATILE. Under READ COMMITTED, each of its statements then sees what other transactions have
--   committed since. So whatever a call reads after it has taken the lock of its organization (locks.sql) is current.
-- * Most functions are PL/pgSQL, which caches plans for the session. SQL functions are planned again in every call.
-- * `refuse` ends a call, or one item of a bulk call, and undoes its changes. `write`, `change_setup` and `write_many` catch the error and
--   return it as a value, so that PostgreSQL logs no refusal.
-- * Every statement binds organization_id as a parameter. UPDATE sets columns to variables, or to immutable expressions of variables and
--   the row's own columns. A database that is distributed by organization can then send each statement to one node.

-- A refusal as a value: a kind and its facts, which `FailureReason` in packages/domain lists. The texts are in TypeScript.
CREATE OR REPLACE FUNCTION refusal_of(p_kind text, p_facts jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('kind', p_kind, 'facts', p_facts);
END
$$;

-- Refuses the call. The message of the error is the refusal.
CREATE OR REPLACE FUNCTION refuse(p_kind text, p_facts jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'CRM01', MESSAGE = refusal_of(p_kind, p_facts);
END
$$;

-- Applies a patch: a null in the patch removes its key. Example: merge_patch('{"a": 1, "b": 2}', '{"a": null}') = '{"b": 2}'
CREATE OR REPLACE FUNCTION merge_patch(p_values jsonb, p_patch jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_patch IS NULL OR p_patch = '{}' THEN
    RETURN p_values;
  END IF;
  RETURN (p_values || p_patch) - ARRAY(SELECT p.key FROM jsonb_each(p_patch) p WHERE p.value = 'null');
END
$$;

-- The column empty_slots of an account, contact or opportunity. As an expression in an index, it would cost every insert as much as 22 indexes
-- of slots.
CREATE OR REPLACE FUNCTION empty_slots_of(r anyelement) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (r.text_1 IS NULL)::int + (r.text_2 IS NULL)::int * 2 + (r.text_3 IS NULL)::int * 4 + (r.text_4 IS NULL)::int * 8
    + (r.text_5 IS NULL)::int * 16 + (r.text_6 IS NULL)::int * 32 + (r.text_7 IS NULL)::int * 64 + (r.text_8 IS NULL)::int * 128
    + (r.number_1 IS NULL)::int * 256 + (r.number_2 IS NULL)::int * 512 + (r.number_3 IS NULL)::int * 1024 + (r.number_4 IS NULL)::int * 2048
    + (r.number_5 IS NULL)::int * 4096 + (r.number_6 IS NULL)::int * 8192 + (r.number_7 IS NULL)::int * 16384 + (r.number_8 IS NULL)::int * 32768;
END
$$;

-- The entries of p_values whose keys are in p_keys.
CREATE OR REPLACE FUNCTION only_keys(p_values jsonb, p_keys text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_key text;
  v_values jsonb := '{}';
BEGIN
  -- A query would take longer.
  FOREACH v_key IN ARRAY p_keys LOOP
    IF p_values ? v_key THEN
      v_values := v_values || jsonb_build_object(v_key, p_values->v_key);
    END IF;
  END LOOP;
  RETURN v_values;
END
$$;

-- The names of the values that a create did not apply because the record already existed: columns and custom fields (`custom__<slug>`)
-- whose stored values differ from those in the request.
CREATE OR REPLACE FUNCTION unapplied_values(p_stored jsonb, p_change jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(u.name), '[]') FROM (
    SELECT s.key AS name FROM jsonb_each(p_change->'set') s WHERE p_stored->s.key IS DISTINCT FROM s.value
    UNION ALL
    SELECT 'custom__' || c.key FROM jsonb_each(p_change->'custom_fields') c
     WHERE p_stored->'custom_fields'->c.key IS DISTINCT FROM c.value) u);
END
$$;

-- A UUIDv7 for an instant, so that ids sort by created_at.
CREATE OR REPLACE FUNCTION new_id(p_at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM p_at) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- A UUIDv7 for an instant that sorts after another one, also if both are of one millisecond, or if the clock went back. p_last: null for the
-- first one.
CREATE OR REPLACE FUNCTION next_id(p_last uuid, p_at timestamptz) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_last_ms bigint := ('x' || left(replace(p_last::text, '-', ''), 12))::bit(48)::bigint;
BEGIN
  RETURN new_id(greatest(p_at, to_timestamp((v_last_ms + 1) / 1000.0)));
END
$$;

-- The current time, in the precision of the columns.
CREATE OR REPLACE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', clock_timestamp())
$$;

-- The result of an update of a record with the id and version. A change increases the version by one.
CREATE OR REPLACE FUNCTION update_result(p_id uuid, p_old_version int, p_is_changed boolean) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', p_id, 'version', p_old_version + p_is_changed::int, 'record_status', CASE WHEN p_is_changed THEN 'updated' ELSE 'matched' END);
END
$$;

-- Refuses a change if the record does not exist or has another version than the request names.
CREATE OR REPLACE FUNCTION check_version(p_found_version int, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_found_version IS NULL THEN
    PERFORM refuse('not_found');
  ELSIF p_found_version <> (p_change->>'version')::int THEN
    PERFORM refuse('precondition_failed');
  END IF;
END
$$;

-- The refusal of a change with values that only a record which has them may keep, such as archived options; null if there is none.
-- `if_stored` of the change has {column or slug, part, path, message} for each; `part` must be in the stored value, or be all of it
-- (`isExact`). p_stored: the record, or null for a new one.
CREATE OR REPLACE FUNCTION not_stored_refusal(p_stored jsonb, p_change jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_errors jsonb;
BEGIN
  IF p_change ? 'if_stored' THEN
    v_errors := (
      SELECT jsonb_object_agg(c->>'path', c->'message') FROM jsonb_array_elements(p_change->'if_stored') c
       WHERE (CASE WHEN c ? 'isExact'
         THEN coalesce(p_stored->'custom_fields'->(c->>'slug'), 'null') @> (c->'part')
           AND coalesce(p_stored->'custom_fields'->(c->>'slug'), 'null') <@ (c->'part')
         ELSE coalesce(p_stored->(c->>'column'), p_stored->'custom_fields'->(c->>'slug')) @> (c->'part') END) IS NOT TRUE);
  END IF;
  RETURN CASE WHEN v_errors IS NOT NULL THEN refusal_of('not_stored', jsonb_build_object('errors', v_errors)) END;
END
$$;

-- Refuses a change with a not_stored_refusal.
CREATE OR REPLACE FUNCTION check_if_stored(p_stored jsonb, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_refusal jsonb := not_stored_refusal(p_stored, p_change);
BEGIN
  IF v_refusal IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'CRM01', MESSAGE = v_refusal;
  END IF;
END
$$;

-- Refuses a change that would give a record the natural key or external id of another record. p_holder_id: the other record that has
-- the key; null if no other record has it. p_field: the column or reference that changes the key.
CREATE OR REPLACE FUNCTION check_key_is_free(p_object text, p_field text, p_holder_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_holder_id IS NOT NULL THEN
    PERFORM refuse('key_taken', jsonb_build_object('object', p_object, 'field', p_field, 'existingId', p_holder_id));
  END IF;
END
$$;

-- Refuses a create whose external id and natural key belong to different records. Also refuses a create without a natural key if its
-- external id belongs to no record, because a new record needs a natural key. p_found_id: the record with the external id, else the one
-- with the natural key. p_key_id: the record with the natural key. p_has_key: whether the create has a natural key.
CREATE OR REPLACE FUNCTION check_create_keys(p_object text, p_found_id uuid, p_key_id uuid, p_has_key boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_found_id <> p_key_id THEN
    PERFORM refuse('two_records', jsonb_build_object('object', p_object, 'existingId', p_found_id, 'otherId', p_key_id));
  ELSIF p_found_id IS NULL AND NOT p_has_key THEN
    PERFORM refuse('external_id_unknown', jsonb_build_object('object', p_object));
  END IF;
END
$$;
