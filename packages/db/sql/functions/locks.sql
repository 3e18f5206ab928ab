-- Lock order. Every write takes its locks in this order, so that two writes cannot wait for each other in a circle:
--
--   0. stored results of the organization   lock_results
--   1. new accounts, by domain              their unique index: a parallel insert of the same domain waits
--   2. names of accounts, by slot           lock_names
--   3. new contacts, by email               their unique index
--   4. names of contacts, by slot           lock_names
--   5. opportunities, by id                 lock_opportunities
--   6. accounts, then contacts, by id       lock_accounts, lock_contacts
--   7. new opportunities, by natural key    lock_visible_fields, then their unique index
--   8. idempotency keys
--
-- A write first computes its change without a lock, takes all its locks, then computes it again and applies it. If the second
-- computation needs a lock that the first one did not, it raises serialization_failure and the caller runs the call again.

-- Opportunities repeat the names of their account and contacts. A write that makes an opportunity refer to more records shares the
-- names of those. A write that changes a name holds that name alone, and so sees every opportunity that repeats it. Both last to the
-- end of the transaction. The names of an organization share 64 locks per kind, so that no call needs many. Taking one writes nothing.
-- p_kind: 'account' or 'contact'.
CREATE OR REPLACE FUNCTION lock_names(p_organization_id uuid, p_kind text, p_ids uuid[], p_alone boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint;
BEGIN
  FOR v_lock IN
    SELECT DISTINCT hashtextextended(p_organization_id::text || p_kind, hashtext(i.id::text) & 63) FROM unnest(p_ids) AS i (id)
     WHERE i.id IS NOT NULL ORDER BY 1
  LOOP
    IF p_alone THEN
      PERFORM pg_advisory_xact_lock(v_lock);
    ELSE
      PERFORM pg_advisory_xact_lock_shared(v_lock);
    END IF;
  END LOOP;
END
$$;

-- Locks opportunities against all other changes.
CREATE OR REPLACE FUNCTION lock_opportunities(p_organization_id uuid, p_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = ANY (p_ids) ORDER BY o.id FOR NO KEY UPDATE;
END
$$;

-- Locks accounts against all other changes; those in p_renamed also against new references, since a domain is a key.
CREATE OR REPLACE FUNCTION lock_accounts(p_organization_id uuid, p_ids uuid[], p_renamed uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    IF v_id = ANY (p_renamed) THEN
      PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id FOR UPDATE;
    ELSE
      PERFORM 1 FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = v_id FOR NO KEY UPDATE;
    END IF;
  END LOOP;
END
$$;

-- Locks contacts against all other changes; those in p_renamed also against new references, since an email is a key.
CREATE OR REPLACE FUNCTION lock_contacts(p_organization_id uuid, p_ids uuid[], p_renamed uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  FOR v_id IN SELECT DISTINCT i FROM unnest(p_ids) i ORDER BY i LOOP
    IF v_id = ANY (p_renamed) THEN
      PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id FOR UPDATE;
    ELSE
      PERFORM 1 FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = v_id FOR NO KEY UPDATE;
    END IF;
  END LOOP;
END
$$;

-- A write that stores its result shares this lock, a deletion holds it alone: it then sees every stored result that repeats values of
-- the record, also that of a create which only found it.
CREATE OR REPLACE FUNCTION lock_results(p_organization_id uuid, p_alone boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint := hashtextextended(p_organization_id::text || 'results', 0);
BEGIN
  IF p_alone THEN
    PERFORM pg_advisory_xact_lock(v_lock);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(v_lock);
  END IF;
END
$$;

-- Hidden fields are not in the stored records of opportunities. A write that adds an opportunity shares this lock while it makes the
-- record; hiding or showing a field holds it alone. So every record made before is committed when the rebuild of records begins.
CREATE OR REPLACE FUNCTION lock_visible_fields(p_organization_id uuid, p_alone boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint := hashtextextended(p_organization_id::text || 'fields', 0);
BEGIN
  IF p_alone THEN
    PERFORM pg_advisory_xact_lock(v_lock);
  ELSE
    PERFORM pg_advisory_xact_lock_shared(v_lock);
  END IF;
END
$$;
