-- Links by external id: a request names an account or contact by its id in another system.

-- The domain or email of the record with an external id, or null. p_object: 'account' or 'contact'.
CREATE OR REPLACE FUNCTION key_of_external_id(p_organization_id uuid, p_object text, p_external_id text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_key text;
BEGIN
  IF p_object = 'account' THEN
    SELECT a.domain INTO v_key FROM accounts a WHERE a.organization_id = p_organization_id AND a.external_id = p_external_id;
  ELSE
    SELECT c.email INTO v_key FROM contacts c WHERE c.organization_id = p_organization_id AND c.external_id = p_external_id;
  END IF;
  RETURN v_key;
END
$$;

-- Whether two domains or emails, of which the second one belongs to a record, name one record. A former one may name it too.
CREATE OR REPLACE FUNCTION name_one_record(p_organization_id uuid, p_object text, p_key text, p_found text) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF p_object = 'account' THEN
    RETURN find_account_id(p_organization_id, p_key) IS NOT DISTINCT FROM find_account_id(p_organization_id, p_found);
  END IF;
  RETURN find_contact_id(p_organization_id, p_key) IS NOT DISTINCT FROM find_contact_id(p_organization_id, p_found);
END
$$;

-- The input of a write with its `links` replaced by domains and emails, which the write functions read. p_input->'links' is a list of
-- {object, external_id, key, path, into, is_item}: `key` is the domain or email that the request sends too, `into` lists the paths in
-- p_input that get the domain or email, at the end of a list with `is_item`. Refuses external ids that no record has, and those of other
-- records than `key`.
CREATE OR REPLACE FUNCTION resolve_links(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_input jsonb := p_input - 'links';
  v_faults jsonb := '[]';
  v_link jsonb;
  v_found text;
  v_path text[];
BEGIN
  FOR v_link IN SELECT l FROM jsonb_array_elements(p_input->'links') l LOOP
    v_found := key_of_external_id(p_organization_id, v_link->>'object', v_link->>'external_id');
    IF v_found IS NULL OR (v_link ? 'key' AND NOT name_one_record(p_organization_id, v_link->>'object', v_link->>'key', v_found)) THEN
      v_faults := v_faults || jsonb_build_object('path', v_link->'path', 'object', v_link->'object', 'key', v_link->'key', 'found', v_found);
    ELSE
      FOR v_path IN SELECT ARRAY(SELECT jsonb_array_elements_text(p)) FROM jsonb_array_elements(v_link->'into') p LOOP
        v_input := jsonb_set(v_input, v_path,
          CASE WHEN v_link ? 'is_item' THEN coalesce(nullif(v_input#>v_path, 'null'), '[]') || to_jsonb(v_found) ELSE to_jsonb(v_found) END);
      END LOOP;
    END IF;
  END LOOP;
  IF v_faults <> '[]' THEN
    PERFORM refuse('links_refused', jsonb_build_object('links', v_faults));
  END IF;
  RETURN v_input;
END
$$;
