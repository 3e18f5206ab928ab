-- What all write functions share.
--
-- * Every function that reads tables is VOLATILE: under READ COMMITTED each of its statements then sees what others committed
--   meanwhile. That makes "look, insert unless there, look again" safe.
-- * Most functions are PL/pgSQL, which caches plans for the session. SQL functions are planned again in every call.
-- * serialization_failure (40001) is raised when a parallel call changed something between two statements. The caller runs the call
--   again.
-- * A refusal ends in `refuse`, which undoes the call, or the item of a bulk call.
-- * Every statement binds organization_id as a parameter, and UPDATE sets columns to variables or to immutable expressions of variables
--   and of the row's own columns: a database that is distributed by organization can then send each statement to one node.

-- Ends the call with a failure: a kind and its facts as `FailureReason` of packages/domain lists them. TypeScript has the texts.
CREATE OR REPLACE FUNCTION refuse(p_kind text, p_facts jsonb DEFAULT '{}') RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RAISE EXCEPTION USING ERRCODE = 'CRM01', MESSAGE = p_kind, DETAIL = p_facts::text;
END
$$;

-- p_values with a patch applied: a null in the patch removes its key. merge_patch('{"a": 1, "b": 2}', '{"a": null}') = '{"b": 2}'
CREATE OR REPLACE FUNCTION merge_patch(p_values jsonb, p_patch jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_patch IS NULL OR p_patch = '{}' THEN
    RETURN p_values;
  END IF;
  RETURN (p_values || p_patch) - ARRAY(SELECT p.key FROM jsonb_each(p_patch) p WHERE p.value = 'null');
END
$$;

-- The keys of p_values that are in p_keys, with their values.
CREATE OR REPLACE FUNCTION only_keys(p_values jsonb, p_keys text[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_object_agg(v.key, v.value), '{}') FROM jsonb_each(p_values) v WHERE v.key = ANY (p_keys));
END
$$;

-- The values that a create did not apply because the record existed: columns that were sent with another value, and `custom__slug`s.
CREATE OR REPLACE FUNCTION unapplied_values(p_stored jsonb, p_change jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(u.name), '[]') FROM (
    SELECT s.key AS name FROM jsonb_each(p_change->'set') s WHERE p_stored->s.key IS DISTINCT FROM s.value
    UNION ALL
    SELECT 'custom__' || c.key FROM jsonb_each(p_change->'custom_fields') c
     WHERE p_stored->'custom_fields'->c.key IS DISTINCT FROM c.value) u);
END
$$;

-- A UUIDv7 of the given instant, so that ids grow with created_at.
CREATE OR REPLACE FUNCTION new_id(p_at timestamptz) RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send((extract(epoch FROM p_at) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- The instant of a write, at the precision that is stored.
CREATE OR REPLACE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', clock_timestamp())
$$;

-- Refuses a change of a record that does not exist, or that has another version than the caller has seen. A create that found its
-- record by its natural key (`found_by_key`) runs again instead: the record was deleted meanwhile.
CREATE OR REPLACE FUNCTION check_version(p_found_version int, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_found_version IS NULL AND p_change ? 'found_by_key' THEN
    RAISE EXCEPTION 'the record was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  ELSIF p_found_version IS NULL THEN
    PERFORM refuse('not_found');
  ELSIF p_found_version <> (p_change->>'version')::int THEN
    PERFORM refuse('precondition_failed');
  END IF;
END
$$;

-- Refuses a change onto the natural key or external id of another record. p_field: the column or reference that changes the key.
CREATE OR REPLACE FUNCTION check_key_is_free(p_object text, p_field text, p_holder_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_holder_id IS NOT NULL THEN
    PERFORM refuse('key_taken', jsonb_build_object('object', p_object, 'field', p_field, 'existingId', p_holder_id));
  END IF;
END
$$;

-- Refuses a create whose external id and natural key name two records, or whose external id names none and which has no natural key for
-- a new record. p_found_id: the record of the external id, else that of the natural key; p_key_id: the record of the natural key.
CREATE OR REPLACE FUNCTION check_create_keys(p_object text, p_found_id uuid, p_key_id uuid, p_has_key boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_found_id <> p_key_id THEN
    PERFORM refuse('two_records', jsonb_build_object('object', p_object, 'existingId', p_found_id, 'otherId', p_key_id));
  ELSIF p_found_id IS NULL AND NOT p_has_key THEN
    PERFORM refuse('external_id_unknown', jsonb_build_object('object', p_object));
  END IF;
END
$$;

-- By what a create found its record, for `check_found_key`: its natural key and, if the create sent it, its external id.
CREATE OR REPLACE FUNCTION found_by(p_key text, p_external_id text, p_set jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_external_id = p_set->>'external_id' THEN
    RETURN jsonb_build_object('found_by_key', p_key, 'found_by_external_id', p_external_id);
  END IF;
  RETURN jsonb_build_object('found_by_key', p_key);
END
$$;

-- Ends a create that found its record by a key if the record has another key now. The caller runs it again: it
-- must not change a record of another key, nor give this one its old key back.
CREATE OR REPLACE FUNCTION check_found_key(p_key text, p_external_id text, p_change jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_key <> p_change->>'found_by_key' OR coalesce(p_external_id, '') <> p_change->>'found_by_external_id' THEN
    RAISE EXCEPTION 'the record got another key meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- Ends a bulk call whose item found its record when the locks were taken and does not find it now. The caller runs the call again, which
-- creates the record before it takes locks. p_locked_ids is null outside of bulk calls.
CREATE OR REPLACE FUNCTION check_may_insert(p_locked_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_locked_ids IS NOT NULL THEN
    RAISE EXCEPTION 'a record was deleted meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- Ends a bulk call that would change a record that it has not locked: a parallel call has changed that record since the bulk call
-- looked. The caller runs the call again.
CREATE OR REPLACE FUNCTION check_locked(p_id uuid, p_locked_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_id <> ALL (p_locked_ids) THEN
    RAISE EXCEPTION 'a record was changed meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;
