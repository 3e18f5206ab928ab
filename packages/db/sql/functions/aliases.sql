-- Aliases: the domains and emails of records that were merged into others. A request with an alias refers to the kept record. A domain or
-- email is never both an alias and the key of an existing record:
--
-- * A merge locks the account with the domain, makes the domain an alias and deletes the account in one transaction. So no other call can
--   store the domain before the alias is committed.
-- * A call that stores a domain checks afterwards that it is no alias (check_domain_is_no_alias, drop_own_domain_alias). From then on,
--   only this account has the domain, so no merge of another account can make it an alias.

-- The account with this domain, as its own domain or as an alias; a row of nulls if there is none.
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

-- Like find_account, for contacts and emails.
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

-- Raises serialization_failure if a call has inserted an account whose domain a parallel merge has just made an alias. The retried call
-- finds the kept account.
CREATE OR REPLACE FUNCTION check_domain_is_no_alias(p_organization_id uuid, p_domain text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain;
  IF FOUND THEN
    RAISE EXCEPTION 'the domain became an alias meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- Like check_domain_is_no_alias, for contacts and emails.
CREATE OR REPLACE FUNCTION check_email_is_no_alias(p_organization_id uuid, p_email text) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  PERFORM 1 FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email;
  IF FOUND THEN
    RAISE EXCEPTION 'the email became an alias meanwhile' USING ERRCODE = 'serialization_failure';
  END IF;
END
$$;

-- Called after an account was stored with a new domain. Deletes the alias for this domain if it belongs to the same account, and refuses
-- the change if it belongs to another one.
CREATE OR REPLACE FUNCTION drop_own_domain_alias(p_organization_id uuid, p_domain text, p_account_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_holder_id uuid := (SELECT l.account_id FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain);
BEGIN
  PERFORM check_key_is_free('account', 'domain', nullif(v_holder_id, p_account_id));
  IF v_holder_id IS NOT NULL THEN
    DELETE FROM account_aliases l WHERE l.organization_id = p_organization_id AND l.domain = p_domain;
  END IF;
END
$$;

-- Like drop_own_domain_alias, for contacts and emails.
CREATE OR REPLACE FUNCTION drop_own_email_alias(p_organization_id uuid, p_email text, p_contact_id uuid) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
DECLARE
  v_holder_id uuid := (SELECT l.contact_id FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email);
BEGIN
  PERFORM check_key_is_free('contact', 'email', nullif(v_holder_id, p_contact_id));
  IF v_holder_id IS NOT NULL THEN
    DELETE FROM contact_aliases l WHERE l.organization_id = p_organization_id AND l.email = p_email;
  END IF;
END
$$;
