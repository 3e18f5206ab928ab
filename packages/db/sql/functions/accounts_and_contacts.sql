-- What accounts and contacts have in common. A domain identifies an account, an email identifies a contact.
--
-- A change is {set, derived, custom_fields, normalized}: the columns in the request, the columns computed from them, and patches of the
-- two JSON columns. A missing key keeps its value; null clears it. A new record is a change to an empty row.

-- The id of the record with this domain or email, its own or an alias; null if there is none.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION find_{object}_id(p_organization_id uuid, p_{key} text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT r.id INTO v_id FROM {objects} r WHERE r.organization_id = p_organization_id AND r.{key} = p_{key};
  IF NOT FOUND THEN
    SELECT l.{object}_id INTO v_id FROM {object}_aliases l WHERE l.organization_id = p_organization_id AND l.{key} = p_{key};
  END IF;
  RETURN v_id;
END
$$;

-- The other domains or emails that find a record: its aliases, in the order of their texts.
-- FOR object=account key=domain
-- FOR object=contact key=email
CREATE OR REPLACE FUNCTION additional_{key}s(p_organization_id uuid, p_id uuid) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT coalesce(jsonb_agg(l.{key} ORDER BY l.{key} COLLATE "C"), '[]') FROM {object}_aliases l
           WHERE l.organization_id = p_organization_id AND l.{object}_id = p_id);
END
$$;

-- The id of the record with this external id, or null.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
-- FOR object=opportunity objects=opportunities
CREATE OR REPLACE FUNCTION {object}_id_of_external_id(p_organization_id uuid, p_external_id text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT r.id INTO v_id FROM {objects} r WHERE r.organization_id = p_organization_id AND r.external_id = p_external_id;
  RETURN v_id;
END
$$;

-- Refuses a create whose external id no record has if the record with its natural key has another one: different external ids are different
-- records. p_key_id: the record with the natural key, or null.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
-- FOR object=opportunity objects=opportunities key=name
CREATE OR REPLACE FUNCTION check_{object}_external_id(p_organization_id uuid, p_key_id uuid, p_external_id text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_other text;
BEGIN
  SELECT r.external_id INTO v_other FROM {objects} r WHERE r.organization_id = p_organization_id AND r.id = p_key_id;
  IF v_other <> p_external_id THEN
    PERFORM refuse('key_taken', jsonb_build_object('object', '{object}', 'field', '{key}', 'existingId', p_key_id, 'externalId', v_other));
  END IF;
END
$$;

-- The record that a create refers to: the one with its external id, else the one with its domain or email, else null. Refuses a create
-- whose keys belong to different records. p_set: the columns in the request.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION {object}_id_of_create(p_organization_id uuid, p_set jsonb) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_key_id uuid := find_{object}_id(p_organization_id, p_set->>'{key}');
  v_id uuid := v_key_id;
BEGIN
  IF p_set ? 'external_id' THEN
    v_id := coalesce({object}_id_of_external_id(p_organization_id, p_set->>'external_id'), v_key_id);
    PERFORM check_create_keys('{object}', v_id, v_key_id, p_set ? '{key}');
    PERFORM check_{object}_external_id(p_organization_id, v_key_id, p_set->>'external_id');
  END IF;
  RETURN v_id;
END
$$;

-- Whether a create found its record by external id and sends a domain or email that no record has: a new one for the record.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION sends_new_{key}(p_row {objects}, p_set jsonb) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN p_set ? 'external_id' AND p_set->>'{key}' <> p_row.{key} AND find_{object}_id(p_row.organization_id, p_set->>'{key}') IS NULL;
END
$$;

-- The result of a create. p_input: {change, on_match}.
-- FOR object=account objects=accounts key=domain shown=id,domain,name,version
-- FOR object=contact objects=contacts key=email shown=id,email,first_name,last_name,account_id,version
CREATE OR REPLACE FUNCTION {object}_result(p_row {objects}, p_status text, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_unapplied jsonb := '[]';
  v_account_id uuid;
BEGIN
  IF p_status <> 'created' AND p_input->>'on_match' = 'keep' THEN
    v_unapplied := unapplied_values(to_jsonb(p_row), p_input->'change');
    IF sends_new_{key}(p_row, p_input->'change'->'set') IS NOT TRUE THEN
      v_unapplied := v_unapplied - '{key}';
    END IF;
    -- The account that a contact was sent with.
    IF p_input->'change' ? 'linked_by' THEN
      v_account_id := find_account_id(p_row.organization_id, p_input->'change'->>'account_domain');
      IF to_jsonb(p_row)->>'account_id' IS DISTINCT FROM v_account_id::text THEN
        v_unapplied := v_unapplied || (p_input->'change'->'linked_by');
      END IF;
    END IF;
  END IF;
  RETURN (SELECT to_jsonb(r) FROM (SELECT {p_row.shown}, p_status AS record_status, v_unapplied AS unapplied) r);
END
$$;

-- The result of a create whose external id, domain or email a record has; null if none has it. `matched_<object>_change` says what the
-- create changes in this record. p_input: {change, on_match}.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION match_{object}(p_organization_id uuid, p_input jsonb, p_row {objects}) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := {object}_id_of_create(p_organization_id, p_input->'change'->'set');
  v_row {objects};
  v_change jsonb;
  v_status text := 'matched';
BEGIN
  IF v_id IS NULL THEN
    RETURN NULL;
  END IF;
  v_row := read_{object}(p_organization_id, v_id);
  IF p_input->'change' ? 'if_stored' THEN
    PERFORM check_if_stored(to_jsonb(v_row), p_input->'change');
  END IF;
  v_change := matched_{object}_change(v_row, p_input);
  IF v_change IS NOT NULL AND change_{object}(v_row, v_change) THEN
    v_status := 'updated';
    v_row := read_{object}(p_organization_id, v_id);
  END IF;
  RETURN {object}_result(v_row, v_status, p_input);
END
$$;

-- Whether a change affects the texts that opportunities copy. Of an account's name they copy only the normalized text.
-- FOR object=account objects=accounts copied=normalized_name,domain
-- FOR object=contact objects=contacts copied=first_name,last_name,email
CREATE OR REPLACE FUNCTION {object}_is_renamed(p_old {objects}, p_new {objects}) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN ({p_new.copied}) IS DISTINCT FROM ({p_old.copied});
END
$$;

-- Updates all columns of a record that can change.
-- FOR object=account objects=accounts columns=domain,external_id,name,normalized_name,industry,description,website,employee_range,is_freemail
-- FOR object=contact objects=contacts columns=email,external_id,first_name,last_name,normalized_name,account_id,job_title,phone
CREATE OR REPLACE FUNCTION update_{object}_row(n {objects}) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  UPDATE {objects} r SET
      ({columns}, custom_fields, normalized, search_text, text_1, text_2, text_3, text_4, text_5, text_6, text_7, text_8,
       number_1, number_2, number_3, number_4, number_5, number_6, number_7, number_8, empty_slots, updated_at, version)
    = ({n.columns}, n.custom_fields, n.normalized, n.search_text, n.text_1, n.text_2, n.text_3, n.text_4, n.text_5, n.text_6, n.text_7, n.text_8,
       n.number_1, n.number_2, n.number_3, n.number_4, n.number_5, n.number_6, n.number_7, n.number_8, n.empty_slots, n.updated_at, n.version)
    WHERE r.organization_id = n.organization_id AND r.id = n.id;
END
$$;

-- Stores a changed record and updates the copies in its opportunities. Returns the event. p_aliases: the result of additional_<key>s before
-- the change.
-- FOR object=account objects=accounts key=domain
-- FOR object=contact objects=contacts key=email
CREATE OR REPLACE FUNCTION store_{object}(p_old {objects}, p_new {objects}, p_aliases jsonb) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_new {objects} := p_new;
BEGIN
  v_new.updated_at := greatest(write_time(), p_old.updated_at);
  v_new.version := p_old.version + 1;
  PERFORM update_{object}_row(v_new);
  IF {object}_is_renamed(p_old, v_new) THEN
    PERFORM copy_{object}_texts(v_new);
  END IF;
  RETURN change_event('{object}', {object}_event_record(p_old, p_aliases),
    {object}_event_record(v_new, additional_{key}s(v_new.organization_id, v_new.id)));
END
$$;

-- p_input: {id, change}, and for a contact `accounts`, see change_contact.
-- FOR object=account objects=accounts
-- FOR object=contact objects=contacts
CREATE OR REPLACE FUNCTION update_{object}(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_change jsonb := (p_input->'change') || only_keys(p_input, '{accounts}');
  v_old {objects} := read_{object}(p_organization_id, (p_input->>'id')::uuid);
BEGIN
  RETURN update_result(v_old.id, v_old.version, change_{object}(v_old, v_change));
END
$$;
