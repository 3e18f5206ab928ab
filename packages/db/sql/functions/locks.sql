-- Opportunities refer to an account and contacts and repeat their names. Whoever makes one refer to more holds the names of those
-- together with others who do; whoever changes names holds them alone, and so sees every opportunity that repeats them. Both last
-- to the end of the transaction. The names of an organization share 64 locks, so that no call needs many; nothing is written.
CREATE OR REPLACE FUNCTION hold_names(p_organization_id uuid, p_owner_ids uuid[], p_alone boolean) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_lock bigint;
BEGIN
  FOR v_lock IN
    SELECT DISTINCT hashtextextended(p_organization_id::text, hashtext(i.id::text) & 63) FROM unnest(p_owner_ids) AS i (id)
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

-- Locks some opportunities against all other changes, in the order that every call keeps.
CREATE OR REPLACE FUNCTION lock_opportunities(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM opportunities o
    WHERE o.organization_id = p_organization_id AND o.id = ANY (p_opportunity_ids) ORDER BY o.id FOR NO KEY UPDATE;
END
$$;
