-- Partitions and retention of the change log. A partition holds the events of one week, Monday to Monday in UTC, and is named after its
-- Monday: events_2026_11_16. Several gateways may call these functions at the same time. make_event_partitions and drop_event_partitions
-- are SECURITY DEFINER, because the roles of gateways own no tables.

-- The start of the week of an instant: Monday, 00:00 UTC.
CREATE OR REPLACE FUNCTION event_week(p_at timestamptz) RETURNS timestamptz LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN date_trunc('week', p_at AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
END
$$;

-- The instant before which all events have expired. It is the start of a week, because only whole weeks expire.
CREATE OR REPLACE FUNCTION events_expire_before(p_days int) RETURNS timestamptz LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_days < 1 THEN
    RAISE EXCEPTION 'events are retained for a day at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  RETURN event_week(clock_timestamp() - make_interval(days => p_days));
END
$$;

-- Creates the partitions of this week and the next four, and returns how many it created. Skips a week whose events are already in the
-- default partition. Attaching a partition blocks other changes of partitions, but no appends to existing weeks.
CREATE OR REPLACE FUNCTION make_event_partitions() RETURNS int LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  v_week timestamptz;
  v_next timestamptz;
  v_name text;
  v_count int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('event partitions', 0)) THEN
    RETURN 0;
  END IF;
  FOR v_weeks IN 0..4 LOOP
    v_week := event_week(clock_timestamp() + make_interval(days => 7 * v_weeks));
    v_next := event_week(v_week + interval '180 hours');
    v_name := to_char(v_week AT TIME ZONE 'UTC', '"events_"YYYY_MM_DD');
    CONTINUE WHEN to_regclass(v_name) IS NOT NULL
      OR EXISTS (SELECT 1 FROM events_default e WHERE e.occurred_at >= v_week AND e.occurred_at < v_next);
    EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS)', v_name);
    EXECUTE format('ALTER TABLE %I ALTER record SET STATISTICS 0, ALTER previous SET STATISTICS 0, ALTER visits SET STATISTICS 0', v_name);
    EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', v_name, v_week, v_next);
    v_count := v_count + 1;
  END LOOP;
  RETURN v_count;
END
$$;

-- Moves the oldest position of an organization past its events that are older than p_days, so that readers no longer see them. Their
-- partitions are dropped afterwards. A reader therefore sees the new oldest position before any event is missing.
CREATE OR REPLACE FUNCTION expire_events(p_organization_id uuid, p_days int) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_before timestamptz := events_expire_before(p_days);
  v_last bigint := (SELECT max(e.position) FROM events e WHERE e.organization_id = p_organization_id AND e.occurred_at < v_before);
  v_now timestamptz := clock_timestamp();
BEGIN
  UPDATE event_heads h SET oldest_position = v_last + 1 WHERE h.organization_id = p_organization_id AND h.oldest_position <= v_last;
  -- Parked events are due, so that a worker reports them as expired. Without this, those after their last try would vanish.
  UPDATE webhook_parked p SET retry_at = v_now WHERE p.organization_id = p_organization_id AND p.position <= v_last;
  UPDATE webhook_endpoints w SET retry_at = v_now
    WHERE w.organization_id = p_organization_id AND EXISTS (
      SELECT 1 FROM webhook_parked p WHERE p.organization_id = p_organization_id AND p.endpoint_id = w.id AND p.position <= v_last);
END
$$;

-- Drops the partitions whose events are older than p_days, except those with an event that an organization can still read. In the default
-- partition, deletes the events that no organization can read, at most 10,000 in one call. Returns how many partitions it dropped.
-- Waits at most one second for readers and writers of a partition. After that, the call fails, and the next call tries again.
CREATE OR REPLACE FUNCTION drop_event_partitions(p_days int) RETURNS int LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE
  v_before timestamptz := events_expire_before(p_days);
  v_name text;
  v_is_read boolean;
  v_head record;
  v_left int := 10000;
  v_deleted int;
  v_count int := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('event partitions', 0)) THEN
    RETURN 0;
  END IF;
  FOR v_name IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\d{4}_\d\d_\d\d$'
       AND to_date(substr(c.relname, 8), 'YYYY_MM_DD') < (v_before AT TIME ZONE 'UTC')::date
     ORDER BY c.relname
  LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM event_heads h WHERE h.oldest_position <= (
      SELECT max(e.position) FROM %I e WHERE e.organization_id = h.organization_id))', v_name) INTO v_is_read;
    IF NOT v_is_read THEN
      EXECUTE format('DROP TABLE %I', v_name);
      v_count := v_count + 1;
    END IF;
  END LOOP;
  FOR v_head IN
    SELECT h.organization_id, h.oldest_position FROM event_heads h
     WHERE EXISTS (SELECT 1 FROM events_default e WHERE e.organization_id = h.organization_id AND e.position < h.oldest_position)
  LOOP
    DELETE FROM events_default d USING (
        SELECT e.position FROM events_default e
         WHERE e.organization_id = v_head.organization_id AND e.position < v_head.oldest_position LIMIT v_left) AS expired
      WHERE d.organization_id = v_head.organization_id AND d.position = expired.position;
    GET DIAGNOSTICS v_deleted = ROW_COUNT;
    v_left := v_left - v_deleted;
    EXIT WHEN v_left = 0;
  END LOOP;
  RETURN v_count;
END
$$;

-- By default, every role may execute a function.
REVOKE EXECUTE ON FUNCTION make_event_partitions(), drop_event_partitions(int) FROM PUBLIC;

-- A new database needs partitions before its first write.
SELECT make_event_partitions();
