-- Aliases: the domains and emails of records that were merged into others. An alias names the kept record wherever a domain or email
-- names a record. It is never the domain or email of a record at the same time:
--
-- * A merge makes an alias of a domain while it holds the account that has it, and deletes that account. So no other call can store the
--   domain before the alias is committed.
-- * A call that stores a domain looks for an alias afterwards (check_domain_is_no_alias, take_domain). No alias can come after that look.

-- The account that a domain names, by its own domain or by an alias; all null for none.
CREATE OR REPLACE FUNCTION find_account(p_organization_id uuid, p_domain text) RETURNS accounts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row accounts;
BEGIN
  SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.domain = p_domain;
  IF NOT FOUND THEN
    SELECT * INTO v_row FROM accounts a WHERE a.organization_id = p_organization_id AND a.id = (
      SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain);
  END IF;
  RETURN v_row;
END
$$;

-- As find_account, for the contact that an email names.
CREATE OR REPLACE FUNCTION find_contact(p_organization_id uuid, p_email text) RETURNS contacts LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_row contacts;
BEGIN
  SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.email = p_email;
  IF NOT FOUND THEN
    SELECT * INTO v_row FROM contacts c WHERE c.organization_id = p_organization_id AND c.id = (
      SELECT l.contact_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email);
  END IF;
  RETURN v_row;
END
$$;

-- Ends a call that has inserted an account of this domain if a parallel merge made the domain an alias after the call had looked. The
-- caller runs the call again and finds the kept account.
CREATE OR REPLACE FUNCTION check_domain_is_no_alias(p_organization_id uuid, p_domain text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF EXISTS (SELECT FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain) THEN
    RAISE EXCEPTION 'the domain became an alias meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- As check_domain_is_no_alias, for the email of a new contact.
CREATE OR REPLACE FUNCTION check_email_is_no_alias(p_organization_id uuid, p_email text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  IF EXISTS (SELECT FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email) THEN
    RAISE EXCEPTION 'the email became an alias meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- What follows when a change has stored a new domain: an alias of the same account ends, one of another account refuses the change.
CREATE OR REPLACE FUNCTION take_domain(p_organization_id uuid, p_domain text, p_account_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_holder_id uuid := (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain);
BEGIN
  PERFORM check_key_is_free('account', 'domain', nullif(v_holder_id, p_account_id));
  IF v_holder_id IS NOT NULL THEN
    DELETE FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain;
  END IF;
END
$$;

-- As take_domain, for the new email of a contact.
CREATE OR REPLACE FUNCTION take_email(p_organization_id uuid, p_email text, p_contact_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_holder_id uuid := (SELECT l.contact_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email);
BEGIN
  PERFORM check_key_is_free('contact', 'email', nullif(v_holder_id, p_contact_id));
  IF v_holder_id IS NOT NULL THEN
    DELETE FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email;
  END IF;
END
$$;
