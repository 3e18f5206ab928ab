-- A database that is new has no statistics. The planner then expects one record of an organization in every table, so that any index
-- which starts with the organization looks as good as the one that leads to a single record, and sessions keep the plans that
-- they made: until autovacuum has looked, each look-up reads all records of an organization. So the tables are measured once
-- while they hold something. Forty rows are few enough for autovacuum to leave what was measured as it is when they are gone:
-- its thresholds are fifty and more. The first records of users then pass them.
DO $$
DECLARE
  v_ids constant uuid[] := ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 40));
  -- Four rows to a page: a table of few pages is read whole.
  v_wide constant text := repeat('x', 1800);
  v_tables constant text[] := '{notes,opportunities,contacts,accounts}';
  v_table text;
BEGIN
  IF EXISTS (SELECT FROM organizations) THEN
    RETURN;
  END IF;
  -- One record of each organization: of one that had many, the planner would know that it has all.
  INSERT INTO organizations (id, name) SELECT i, 'to be measured' FROM unnest(v_ids) i;
  INSERT INTO pipelines (organization_id, id, name, position) SELECT i, i, 'Sales', 1 FROM unnest(v_ids) i;
  INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
    SELECT i, i, 'acme.example', v_wide, now(), now() FROM unnest(v_ids) i;
  INSERT INTO contacts (organization_id, id, email, search_text, created_at, updated_at)
    SELECT i, i, 'ann@acme.example', v_wide, now(), now() FROM unnest(v_ids) i;
  INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, name_fold, record, search_text, created_at, updated_at)
    SELECT i, i, i, '', 'Deal', 'deal', '{}', v_wide, now(), now() FROM unnest(v_ids) i;
  INSERT INTO notes (organization_id, id, content, created_at) SELECT i, i, v_wide, now() FROM unnest(v_ids) i;
  FOREACH v_table IN ARRAY v_tables LOOP
    -- Said to be three of each, whatever their number.
    EXECUTE format('ALTER TABLE %I ALTER organization_id SET (n_distinct = -0.33)', v_table);
    EXECUTE format('ANALYZE %I (organization_id)', v_table);
    EXECUTE format('ALTER TABLE %I ALTER organization_id RESET (n_distinct)', v_table);
  END LOOP;
  FOREACH v_table IN ARRAY v_tables || '{pipelines}'::text[] LOOP
    EXECUTE format('DELETE FROM %I WHERE organization_id = ANY ($1)', v_table) USING v_ids;
  END LOOP;
  DELETE FROM organizations WHERE id = ANY (v_ids);
END
$$;
