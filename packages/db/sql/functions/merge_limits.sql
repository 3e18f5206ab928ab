-- The limits of one merge: numbers of records, and bytes of their values. TypeScript has the numbers (mergeLimits).

-- Refuses a merge that would move more records than fit into the time limit of a statement. p_limits: {opportunities, merged_opportunities,
-- contacts, notes, bytes}.
CREATE OR REPLACE FUNCTION check_merge_size(p_limits jsonb, p_object text, p_count bigint) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_count > (p_limits->>p_object)::bigint THEN
    PERFORM refuse('merge_too_large', jsonb_build_object('object', p_object, 'limit', p_limits->p_object));
  END IF;
END
$$;

-- The size of the values that a merge writes for a record that it changes, in bytes. The stored record of an opportunity has its additional
-- contacts, but no hidden fields. p_object: 'contact', 'note' or 'opportunity'.
CREATE OR REPLACE FUNCTION merged_bytes(p_organization_id uuid, p_object text, p_id uuid) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN CASE p_object
    WHEN 'contact' THEN (SELECT octet_length(c.custom_fields::text) FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = p_id)
    WHEN 'note' THEN (SELECT octet_length(concat(n.title, n.content)) FROM notes n WHERE n.organization_id = p_organization_id AND n.id = p_id)
    ELSE (SELECT greatest(octet_length(o.record), octet_length(o.custom_fields::text)) + octet_length(concat(o.next_step))
            FROM opportunities o WHERE o.organization_id = p_organization_id AND o.id = p_id) END;
END
$$;

-- Refuses a merge that would change records with more bytes than p_limits allow. Stops at the limit, because large values are slow to read.
CREATE OR REPLACE FUNCTION check_merge_bytes(p_organization_id uuid, p_limits jsonb, p_contact_ids uuid[], p_note_ids uuid[], p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_bytes bigint := 0;
  v_record record;
BEGIN
  FOR v_record IN
    SELECT 'contact' AS object, i AS id FROM unnest(p_contact_ids) i UNION SELECT 'note', i FROM unnest(p_note_ids) i
    UNION SELECT 'opportunity', i FROM unnest(p_opportunity_ids) i
  LOOP
    v_bytes := v_bytes + coalesce(merged_bytes(p_organization_id, v_record.object, v_record.id), 0);
    PERFORM check_merge_size(p_limits, 'bytes', v_bytes);
  END LOOP;
END
$$;

-- The notes that a merge changes: those on p_other_id, an account or contact, and those on opportunities that are merged into others.
-- Refuses more than p_limits.
CREATE OR REPLACE FUNCTION moved_note_ids(p_organization_id uuid, p_object text, p_other_id uuid, p_collisions jsonb, p_limits jsonb) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_limit int := (p_limits->>'notes')::int + 1;
  v_ids uuid[] := CASE p_object WHEN 'account' THEN account_note_ids(p_organization_id, p_other_id, v_limit)
    ELSE contact_note_ids(p_organization_id, p_other_id, v_limit) END;
  v_opportunity_ids uuid[] := collision_ids(p_collisions, 'id');
BEGIN
  v_ids := ARRAY(
    SELECT unnest(v_ids)
    UNION
    (SELECT l.note_id FROM note_opportunities l
      WHERE l.organization_id = p_organization_id AND l.opportunity_id = ANY (v_opportunity_ids) LIMIT v_limit));
  PERFORM check_merge_size(p_limits, 'notes', cardinality(v_ids));
  RETURN v_ids;
END
$$;
