-- The record in an event is the one that the API returns by id, without texts of other records. Events of opportunities and notes refer
-- to contacts only by id. So erasing a contact only has to erase the events of that contact and of the contacts that were merged into it.

-- An instant in the format of the API: 2026-11-16T08:30:00.000Z.
CREATE OR REPLACE FUNCTION event_instant(p_at timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT to_char(p_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

-- p_domains: the result of additional_domains; '[]' for a new account.
CREATE OR REPLACE FUNCTION account_event_record(r accounts, p_domains jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', r.id, 'domain', r.domain, 'additional_domains', p_domains, 'external_id', r.external_id, 'name', r.name, 'industry', r.industry, 'description', r.description,
    'website', r.website, 'employee_range', r.employee_range, 'is_freemail', r.is_freemail, 'custom_fields', r.custom_fields,
    'created_at', event_instant(r.created_at), 'updated_at', event_instant(r.updated_at), 'version', r.version);
END
$$;

-- p_emails: the result of additional_emails; '[]' for a new contact.
CREATE OR REPLACE FUNCTION contact_event_record(r contacts, p_emails jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', r.id, 'name', nullif(concat_ws(' ', r.first_name, r.last_name), ''), 'first_name', r.first_name,
    'last_name', r.last_name, 'email', r.email, 'additional_emails', p_emails, 'external_id', r.external_id, 'account_id', r.account_id, 'job_title', r.job_title, 'phone', r.phone,
    'custom_fields', r.custom_fields, 'created_at', event_instant(r.created_at), 'updated_at', event_instant(r.updated_at),
    'version', r.version);
END
$$;

-- p_additional_ids: the additional contacts, in order.
CREATE OR REPLACE FUNCTION opportunity_event_record(r opportunities, p_additional_ids uuid[]) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', r.id, 'name', r.name, 'external_id', r.external_id, 'pipeline_id', r.pipeline_id, 'stage_id', r.stage_id, 'account_id', r.account_id,
    'contact_id', r.contact_id, 'additional_contact_ids', to_jsonb(p_additional_ids), 'owner_id', r.owner_id,
    'amount', trim_scale(r.amount), 'currency', r.currency, 'close_date', r.close_date, 'next_action_date', r.next_action_date,
    'next_step', r.next_step, 'custom_fields', r.custom_fields, 'created_at', event_instant(r.created_at),
    'updated_at', event_instant(r.updated_at), 'version', r.version);
END
$$;

-- p_links: the result of note_links.
CREATE OR REPLACE FUNCTION note_event_record(r notes, p_links jsonb) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN jsonb_build_object('id', r.id, 'title', r.title, 'content', r.content, 'created_at', event_instant(r.created_at),
    'updated_at', event_instant(r.updated_at), 'version', r.version) || p_links;
END
$$;

-- The event of a created record, as a row of the table. p_item: the number of the item that creates it, see append_events. `bytes` is the
-- length of creation_event.
CREATE OR REPLACE FUNCTION created_event(p_item bigint, p_object text, p_record jsonb) RETURNS events LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_event events;
BEGIN
  v_event.position := p_item;
  v_event.type := p_object || '.created';
  v_event.object := p_object;
  v_event.record_id := p_record->>'id';
  v_event.version := 1;
  v_event.record := p_record;
  v_event.bytes := octet_length(p_record::text) + 2 * octet_length(p_object) + 113;
  RETURN v_event;
END
$$;

-- The event of a created or restored record, as text for collect_events. p_kind: 'created' or 'restored'.
CREATE OR REPLACE FUNCTION creation_event(p_object text, p_kind text, p_record jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('type', p_object || '.' || p_kind, 'object', p_object, 'record_id', p_record->'id', 'version', p_record->'version',
    'record', p_record)::text;
END
$$;

-- The event of a deleted record. p_merged_into: the id of the record that it was merged into.
CREATE OR REPLACE FUNCTION deletion_event(p_object text, p_record jsonb, p_merged_into uuid DEFAULT NULL) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('type', p_object || '.deleted', 'object', p_object, 'record_id', p_record->'id', 'version', p_record->'version',
    'previous', p_record, 'merged_with', p_merged_into)::text;
END
$$;

-- The event of a deleted opportunity, with its stays in stages. p_additional_ids: its additional contacts.
CREATE OR REPLACE FUNCTION opportunity_deletion(p_row opportunities, p_additional_ids uuid[], p_merged_into uuid DEFAULT NULL) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_event jsonb := deletion_event('opportunity', opportunity_event_record(p_row, p_additional_ids), p_merged_into);
  v_visits jsonb := stage_visits_of(p_row);
BEGIN
  RETURN v_event || jsonb_build_object('visits', v_visits);
END
$$;

-- The event of a changed record. `changed` lists the keys that differ, custom fields as custom_fields.<slug>. It omits updated_at and
-- version, which change with every event. A custom field that had no value is null in `previous`.
CREATE OR REPLACE FUNCTION change_event(p_object text, p_old jsonb, p_new jsonb) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_previous jsonb;
  v_changed text[];
  v_custom jsonb;
  v_slugs text[];
BEGIN
  SELECT coalesce(jsonb_object_agg(n.key, p_old->n.key), '{}'), coalesce(array_agg(n.key ORDER BY n.key), '{}') INTO v_previous, v_changed
    FROM jsonb_each(p_new - '{custom_fields,updated_at,version}'::text[]) n WHERE p_old->n.key IS DISTINCT FROM n.value;
  IF p_old->'custom_fields' <> p_new->'custom_fields' THEN
    SELECT jsonb_object_agg(k.slug, p_old->'custom_fields'->k.slug), array_agg('custom_fields.' || k.slug ORDER BY k.slug) INTO v_custom, v_slugs
      FROM jsonb_object_keys((p_old->'custom_fields') || (p_new->'custom_fields')) AS k (slug)
     WHERE p_old->'custom_fields'->k.slug IS DISTINCT FROM p_new->'custom_fields'->k.slug;
    v_previous := v_previous || jsonb_build_object('custom_fields', v_custom);
    v_changed := v_changed || v_slugs;
  END IF;
  RETURN jsonb_build_object('type', p_object || '.updated', 'object', p_object, 'record_id', p_new->'id', 'version', p_new->'version',
    'record', p_new, 'previous', v_previous, 'changed', to_jsonb(v_changed))::text;
END
$$;

-- The event of a deleted record whose values are erased. It contains no values.
CREATE OR REPLACE FUNCTION erasure_event(p_object text, p_id uuid, p_version int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_build_object('type', p_object || '.deleted', 'object', p_object, 'record_id', p_id, 'version', p_version, 'is_erased', true)::text;
END
$$;
