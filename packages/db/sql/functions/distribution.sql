-- What `crm distribute` and `crm doctor` ask of a database that Citus distributes.

-- How many bytes the memory of the session grows by with p_count prepared lookups. Versions of Citus that do not find their cached plans
-- keep a new one of each lookup, 80 KB. The first lookups load the caches of the session and do not count. SECURITY DEFINER, because
-- roles of gateways cannot read the memory of a session.
CREATE OR REPLACE FUNCTION plan_memory(p_organization_id uuid, p_count int) RETURNS bigint LANGUAGE plpgsql VOLATILE SECURITY DEFINER
SET search_path = public, pg_temp SET plan_cache_mode = auto AS $$
DECLARE
  v_id uuid;
  v_domain text;
  v_before bigint;
  v_after bigint;
BEGIN
  FOR v_round IN -20..p_count LOOP
    v_domain := 'none.' || v_round;
    SELECT a.id INTO v_id FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = v_domain;
    IF v_round = 0 THEN
      v_before := (SELECT sum(c.total_bytes) FROM pg_backend_memory_contexts c);
    END IF;
  END LOOP;
  v_after := (SELECT sum(c.total_bytes) FROM pg_backend_memory_contexts c);
  RETURN v_after - v_before;
END
$$;
