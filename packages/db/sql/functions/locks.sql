-- One lock per organization. A write takes it before its first change and holds it until the transaction ends:
--
--   shared     by creates without an external id or the id of a note, also by bulk calls of creates, and by a change whose request sends no
--              name, key or external id
--   exclusive  by everything else: renames, external ids, sent ids of notes, deals with the fields of their primary contact or a note, bulk updates, merges, deletions, restores, changes of the setup,
--              rebuilds
--
-- Two functions decide, and the stronger mode wins: needs_exclusive_lock (write.sql) by what the request sends, even if it equals the stored
-- value, and begin_change by what the write is about to change.
--
-- So names and keys do not change, and no record disappears, while any write of the organization runs. Writes with the shared lock cannot
-- deadlock either, because they wait for each other in one order: all new accounts of the call by domain, all new contacts by email, all new
-- opportunities by natural key (unique indexes), then the changed records by id (read_<object>, match_<objects>), and the counter of the
-- change log (next_event_position).
--
-- A write runs without the lock and stops before its first change (begin_change). Then `write` takes the lock and starts the write again. So
-- a write that changes nothing waits for nothing. A create usually changes something, so it takes the shared lock at once if it can do so
-- without waiting. The lock is never upgraded: a write that needs a stronger lock than it has ends in the same way, and the rollback to
-- before its start frees the weaker lock.

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

-- Takes the shared lock of an organization if this needs no waiting.
CREATE OR REPLACE FUNCTION try_shared_lock(p_organization_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF pg_try_advisory_xact_lock_shared(hashtextextended(p_organization_id::text, 0)) THEN
    PERFORM set_config('crm.lock', 'shared', true);
  END IF;
END
$$;

-- Called before the first change of a write, with the mode that the change needs. Without this lock, it ends this run with CRM03, and
-- `write` runs the call again with the lock.
CREATE OR REPLACE FUNCTION begin_change(p_mode text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_held text := coalesce(current_setting('crm.lock', true), '');
BEGIN
  IF v_held = '' OR v_held = 'shared' AND p_mode = 'exclusive' THEN
    RAISE EXCEPTION USING ERRCODE = 'CRM03', MESSAGE = p_mode;
  END IF;
END
$$;

-- The record with an id; a row of nulls if there is none. Under the shared lock, keeps other calls from changing the record until the
-- transaction ends. If the record is missing, the call looks again with the lock of the organization: another call may have deleted a
-- record that this call has just found.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
-- FOR object=note objects=notes
CREATE OR REPLACE FUNCTION read_{object}(p_organization_id uuid, p_id uuid) RETURNS {objects} LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row {objects};
BEGIN
  IF current_setting('crm.lock', true) = 'shared' THEN
    PERFORM 1 FROM {objects} r WHERE r.organization_id = p_organization_id AND r.id = p_id FOR NO KEY UPDATE;
  END IF;
  SELECT * INTO v_row FROM {objects} r WHERE r.organization_id = p_organization_id AND r.id = p_id;
  IF NOT FOUND THEN
    PERFORM begin_change('shared');
  END IF;
  RETURN v_row;
END
$$;
