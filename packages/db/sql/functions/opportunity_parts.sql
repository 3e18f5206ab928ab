-- A create of an opportunity that also sends the fields of its primary contact or a note: one call, all or nothing. Such a call has the
-- exclusive lock (needs_exclusive_lock): it creates records of several kinds one after another, for which the order of the shared lock does not
-- hold (locks.sql), and two of them must not add one note twice.

-- The oldest note on an opportunity with this title and content, or null.
CREATE OR REPLACE FUNCTION equal_note_id(p_organization_id uuid, p_opportunity_id uuid, p_title text, p_content text) RETURNS uuid LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid;
BEGIN
  SELECT l.note_id INTO v_id FROM note_opportunities l
    CROSS JOIN LATERAL (SELECT n.title, n.content FROM notes n WHERE n.organization_id = p_organization_id AND n.id = l.note_id OFFSET 0) n
   WHERE l.organization_id = p_organization_id AND l.opportunity_id = p_opportunity_id
     AND n.title IS NOT DISTINCT FROM p_title AND n.content IS NOT DISTINCT FROM p_content
   ORDER BY l.note_id LIMIT 1;
  RETURN v_id;
END
$$;

-- The only answer of a create of one record. A refusal ends the item.
CREATE OR REPLACE FUNCTION only_answer(p_answers jsonb[], p_refusals jsonb[]) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF p_refusals[1] IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'CRM01', MESSAGE = p_refusals[1];
  END IF;
  RETURN p_answers[1];
END
$$;

-- Creates the primary contact, the opportunity and its note, or finds those that exist. p_input: see create_opportunities, with
--   primary_contact  the input of create_contacts; `primary_email` of the change is its email
--   note             the input of create_notes. It is attached to the opportunity, unless this has an equal note
CREATE OR REPLACE FUNCTION create_opportunity_with_parts(p_organization_id uuid, p_input jsonb, p_before int, OUT answer jsonb, OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_contact jsonb;
  v_note jsonb := p_input->'note';
  v_note_id uuid;
  v_written record;
BEGIN
  new_events := '{}';
  IF p_input ? 'primary_contact' THEN
    v_written := create_contacts(p_organization_id, ARRAY[p_input->'primary_contact'], p_before);
    v_contact := only_answer(v_written.answers, v_written.refusals);
    new_events := v_written.new_events;
  END IF;
  v_written := create_opportunities(p_organization_id, ARRAY[p_input], p_before);
  answer := only_answer(v_written.answers, v_written.refusals);
  new_events := new_events || v_written.new_events;
  IF v_contact IS NOT NULL THEN
    answer := answer || jsonb_build_object('unapplied_contact', v_contact->'unapplied');
  END IF;
  IF v_note IS NOT NULL THEN
    v_note_id := equal_note_id(p_organization_id, (answer->>'id')::uuid, v_note->>'title', v_note->>'content');
    IF v_note_id IS NULL THEN
      v_written := create_notes(p_organization_id,
        ARRAY[v_note || jsonb_build_object('opportunity_ids', jsonb_build_array(answer->'id'))], p_before);
      v_note_id := only_answer(v_written.answers, v_written.refusals)->>'id';
      new_events := new_events || v_written.new_events;
    END IF;
    answer := answer || jsonb_build_object('note_id', v_note_id);
  END IF;
END
$$;

-- Creates opportunities of which some have parts, one after another. See creates.sql for the results.
CREATE OR REPLACE FUNCTION create_opportunities_with_parts(p_organization_id uuid, p_inputs jsonb[], OUT answers jsonb[], OUT refusals jsonb[], OUT new_events events[]) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_written record;
BEGIN
  answers := array_fill(NULL::jsonb, ARRAY[cardinality(p_inputs)]);
  refusals := answers;
  new_events := '{}';
  FOR n IN 1 .. cardinality(p_inputs) LOOP
    CONTINUE WHEN p_inputs[n] IS NULL;
    BEGIN
      v_written := create_opportunity_with_parts(p_organization_id, p_inputs[n], n - 1);
      answers[n] := v_written.answer;
      new_events := new_events || v_written.new_events;
    EXCEPTION WHEN SQLSTATE 'CRM01' THEN
      refusals[n] := SQLERRM;
    END;
  END LOOP;
END
$$;
