-- One lock per organization. A write takes it before its first change and holds it until the transaction ends:
--
--   shared     by a create without an external id, and by a change whose request sends no name, key or external id
--   exclusive  by everything else: renames, external ids, bulk calls, merges, deletions, restores, changes of the setup, rebuilds
--
-- Two functions decide, and the stronger mode wins: needs_exclusive_lock (write.sql) by what the request sends, even if it equals the stored
-- value, and begin_change by what the write is about to change.
--
-- So names and keys do not change, and no record disappears, while any write of the organization runs. Writes with the shared lock cannot
-- deadlock either, because they wait for each other in one order: new accounts by domain, new contacts by email (unique indexes), the
-- changed record (lock_record) or the natural key of a new opportunity, and the counter of the change log (next_event_position).
--
-- The lock is never upgraded. A write runs without the lock first and stops before its first change (begin_change). Then `write` takes
-- the lock and starts the write again. So a write that changes nothing takes no lock.

-- Takes the lock of an organization. p_mode: 'shared' or 'exclusive'. `crm.lock` holds the mode until the transaction ends.
CREATE OR REPLACE FUNCTION lock_organization(p_organization_id uuid, p_mode text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint := hashtextextended(p_organization_id::text, 0);
BEGIN
  IF p_mode = 'exclusive' THEN
    PERFORM pg_advisory_xact_lock(v_lock);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(v_lock);
  END IF;
  PERFORM set_config('crm.lock', p_mode, true);
END
$$;

-- Called before the first change of a write, with the mode that the change needs. Without the lock, it ends this run with CRM03. If the
-- shared lock turns out to be too weak, another call has just created the record that this call renames: the caller runs the call again.
CREATE OR REPLACE FUNCTION begin_change(p_mode text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_held text := coalesce(current_setting('crm.lock', true), '');
BEGIN
  IF v_held = '' THEN
    RAISE EXCEPTION USING ERRCODE = 'CRM03', MESSAGE = p_mode;
  ELSIF v_held = 'shared' AND p_mode = 'exclusive' THEN
    RAISE EXCEPTION 'the record was created meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- Keeps other holders of the shared lock from changing a record until the transaction ends. Beside the exclusive lock there are none.
CREATE OR REPLACE FUNCTION lock_record(p_organization_id uuid, p_object text, p_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF current_setting('crm.lock', true) = 'shared' THEN
    CASE p_object
      WHEN 'account' THEN PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = p_id FOR NO KEY UPDATE;
      WHEN 'contact' THEN PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id FOR NO KEY UPDATE;
      WHEN 'opportunity' THEN PERFORM 1 FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_id FOR NO KEY UPDATE;
      WHEN 'note' THEN PERFORM 1 FROM notes n WHERE n.organization_id = p_organization_id AND n.id = p_id FOR NO KEY UPDATE;
    END CASE;
  END IF;
END
$$;
