-- The planner's statistics of a table contain values of its rows, and keep those of erased people until they are collected again.

-- Collects the statistics of a table again if rows have changed since the last time. Returns whether it did. It leaves the first statistics
-- of a new database alone, because they contain no values. Skips a table that autovacuum works on. SECURITY DEFINER, because only the
-- owner of a table can analyze it.
CREATE OR REPLACE FUNCTION refresh_statistics(p_table text) RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_stat_user_tables t WHERE t.schemaname = 'public' AND t.relname = p_table AND t.n_mod_since_analyze > 0)
    OR NOT EXISTS (SELECT 1 FROM pg_stats s WHERE s.schemaname = 'public' AND s.tablename = p_table AND s.attname <> 'organization_id') THEN
    RETURN false;
  END IF;
  EXECUTE format('ANALYZE (SKIP_LOCKED) %I', p_table);
  RETURN true;
END
$$;

-- By default, every role may execute a function.
REVOKE EXECUTE ON FUNCTION refresh_statistics(text) FROM PUBLIC;
