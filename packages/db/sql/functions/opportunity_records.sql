-- What an opportunity copies from other records: the stored record, the search text and the sort keys.

-- The ids of an opportunity's additional contacts, in order.
CREATE OR REPLACE FUNCTION additional_contact_ids(p_organization_id uuid, p_opportunity_id uuid) RETURNS uuid[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(array_agg(l.contact_id ORDER BY l.position), '{}')
    FROM opportunity_contacts l
   WHERE l.organization_id = p_organization_id AND l.opportunity_id = p_opportunity_id);
END
$$;

-- An additional contact in the JSON text of an opportunity.
CREATE OR REPLACE FUNCTION linked_contact_text(p_id uuid, p_first_name text, p_last_name text, p_email text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN '{"contact_id":"' || p_id
      || '","contact_first_name":' || coalesce(to_json(p_first_name)::text, 'null')
      || ',"contact_last_name":' || coalesce(to_json(p_last_name)::text, 'null')
      || ',"contact_email":' || to_json(p_email) || '}';
END
$$;

-- The JSON text of an opportunity as default lists return it. p_contacts: its linked_contact_texts with commas. p_unseen: see unseen_slugs.
CREATE OR REPLACE FUNCTION opportunity_text(p_row opportunities, p_stage_label text, p_contacts text, p_unseen text[]) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN '{"id":"' || p_row.id
      || '","name":' || to_json(p_row.name)
      || ',"pipeline_id":"' || p_row.pipeline_id
      || '","stage_id":' || coalesce('"' || p_row.stage_id || '"', 'null')
      || ',"stage_name":' || coalesce(to_json(p_stage_label)::text, 'null')
      || ',"account_id":' || coalesce('"' || p_row.account_id || '"', 'null')
      || ',"contact_id":' || coalesce('"' || p_row.contact_id || '"', 'null')
      || ',"additional_contacts":[' || coalesce(p_contacts, '')
      || '],"custom_fields":' || (p_row.custom_fields - p_unseen)
      || '}';
END
$$;

-- The custom fields of opportunities that records do not show: hidden and archived ones.
CREATE OR REPLACE FUNCTION unseen_slugs(p_organization_id uuid) RETURNS text[] LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN ARRAY(SELECT f.slug::text FROM custom_fields f
    WHERE f.organization_id = p_organization_id AND f.object_type = 'opportunity' AND (f.is_hidden OR NOT f.is_active));
END
$$;

-- The opportunity_text of a stored opportunity. p_additional_ids: its additional contacts, in order.
CREATE OR REPLACE FUNCTION opportunity_record(p_row opportunities, p_additional_ids uuid[]) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_stage_label text;
  v_contacts text;
BEGIN
  SELECT s.label INTO v_stage_label FROM stages s WHERE s.organization_id = p_row.organization_id AND s.id = p_row.stage_id;
  IF p_additional_ids <> '{}' THEN
    -- Looked up one by one: if the statistics underestimate the organization's size, a join reads all its contacts.
    v_contacts := (
      SELECT string_agg((
               SELECT linked_contact_text(c.id, c.first_name, c.last_name, c.email)
                 FROM contacts c WHERE c.organization_id = p_row.organization_id AND c.id = a.id), ',' ORDER BY a.position)
        FROM unnest(p_additional_ids) WITH ORDINALITY AS a (id, position));
  END IF;
  RETURN opportunity_text(p_row, v_stage_label, v_contacts, unseen_slugs(p_row.organization_id));
END
$$;

-- Sets the columns that an opportunity copies from its account and primary contact: the text that `q` searches, and sort keys.
CREATE OR REPLACE FUNCTION copy_related_texts(p_row opportunities) RETURNS opportunities LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities := p_row;
  v_account_text text;
BEGIN
  SELECT a.domain, left(a.normalized_name, 200), a.search_text
    INTO v_row.account_domain, v_row.account_name_key, v_account_text
    FROM accounts a WHERE a.organization_id = v_row.organization_id AND a.id = v_row.account_id;
  SELECT c.email, left(c.normalized->>'first_name', 200), left(c.normalized->>'last_name', 200)
    INTO v_row.contact_email, v_row.contact_first_name_key, v_row.contact_last_name_key
    FROM contacts c WHERE c.organization_id = v_row.organization_id AND c.id = v_row.contact_id;
  v_row.search_text := concat_ws(' ', v_row.normalized_name, v_account_text);
  RETURN v_row;
END
$$;

-- Rebuilds the stored records of some opportunities, and their `closed_at`. Takes the lock of the organization, on the server that has the opportunities.
CREATE OR REPLACE FUNCTION refresh_opportunity_records(p_organization_id uuid, p_opportunity_ids uuid[]) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row opportunities;
BEGIN
  PERFORM lock_organization(p_organization_id, 'exclusive');
  FOR v_row IN SELECT * FROM opportunities_of_ids(p_organization_id, p_opportunity_ids) LOOP
    v_row.record := opportunity_record(v_row, additional_contact_ids(p_organization_id, v_row.id));
    v_row := opportunity_in_stage(v_row, stage_outcome(p_organization_id, v_row.stage_id), v_row.stage_entered_at);
    UPDATE opportunities o SET record = v_row.record, closed_at = v_row.closed_at
      WHERE o.organization_id = p_organization_id AND o.id = v_row.id
        AND (o.record <> v_row.record OR o.closed_at IS DISTINCT FROM v_row.closed_at);
  END LOOP;
END
$$;
