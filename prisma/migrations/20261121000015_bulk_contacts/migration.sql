-- A contact that is there already wants no account, in a bulk call as in a call of its own: the account of its domain may have
-- another domain by now.
CREATE OR REPLACE FUNCTION ensure_related(p_organization_id uuid, p_function text, p_items jsonb) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_accounts jsonb := (
    SELECT coalesce(jsonb_agg(DISTINCT a.value), '[]')
      FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->'accounts') a
     WHERE CASE p_function
             WHEN 'update_contact' THEN is_moved(p_organization_id, i.value->'input')
             WHEN 'create_contact' THEN (
               SELECT c.id FROM contacts c
                WHERE c.organization_id = p_organization_id AND c.email = i.value->'input'->'change'->'set'->>'email') IS NULL
             ELSE true
           END);
  v_contacts jsonb := (
    SELECT coalesce(jsonb_agg(DISTINCT c.value), '[]')
      FROM jsonb_array_elements(p_items) i, jsonb_array_elements(i.value->'input'->'contacts') c);
BEGIN
  PERFORM ensure_accounts(p_organization_id, v_accounts, v_contacts);
  PERFORM ensure_contacts(p_organization_id, v_contacts);
END
$$;
