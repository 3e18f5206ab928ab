-- Notes.

-- p_input: {accounts, contacts, account_domains, contact_emails, title, content}.
CREATE OR REPLACE FUNCTION create_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_now timestamptz;
  v_id uuid;
BEGIN
  PERFORM ensure_related(p_organization_id, p_input->'accounts', p_input->'contacts');
  v_now := write_time();
  v_id := new_id(v_now);
  INSERT INTO notes (organization_id, id, title, content, created_at)
    VALUES (p_organization_id, v_id, p_input->>'title', p_input->>'content', v_now);
  INSERT INTO note_accounts (organization_id, note_id, account_id)
    SELECT p_organization_id, v_id, a FROM unnest(account_ids(p_organization_id, p_input->'account_domains')) a ORDER BY a;
  INSERT INTO note_contacts (organization_id, note_id, contact_id)
    SELECT p_organization_id, v_id, c FROM unnest(contact_ids(p_organization_id, p_input->'contact_emails')) c ORDER BY c;
  RETURN jsonb_build_object('id', v_id, 'title', p_input->'title', 'content', p_input->'content');
END
$$;

-- p_input: {id, version}. Notes have no version, so asking for one is refused. The accounts and contacts of the note stay.
CREATE OR REPLACE FUNCTION delete_note(p_organization_id uuid, p_input jsonb) RETURNS jsonb LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_id uuid := p_input->>'id';
BEGIN
  PERFORM check_version((SELECT 0 FROM notes n WHERE n.organization_id = p_organization_id AND n.id = v_id FOR UPDATE), p_input);
  DELETE FROM notes n WHERE n.organization_id = p_organization_id AND n.id = v_id;
  PERFORM forget_results(p_organization_id, v_id);
  RETURN jsonb_build_object('id', v_id);
END
$$;
