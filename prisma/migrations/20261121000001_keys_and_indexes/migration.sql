-- What the Prisma schema cannot say: collations, the form of natural keys, and the partial, expression and trigram indexes.

-- Keys and comparison keys are ordered by code point, whatever the database's locale: no upgrade of a C library or of ICU
-- can then change an answer or corrupt an index.
ALTER TABLE members
  ALTER COLUMN email TYPE text COLLATE "C";
ALTER TABLE pipelines
  ALTER COLUMN name TYPE text COLLATE "C";
ALTER TABLE stages
  ALTER COLUMN label TYPE text COLLATE "C";
ALTER TABLE custom_fields
  ALTER COLUMN object_type TYPE text COLLATE "C",
  ALTER COLUMN slug TYPE text COLLATE "C",
  ALTER COLUMN slot TYPE text COLLATE "C";
ALTER TABLE idempotency_keys
  ALTER COLUMN operation TYPE text COLLATE "C",
  ALTER COLUMN key TYPE text COLLATE "C";
ALTER TABLE accounts
  ALTER COLUMN domain TYPE text COLLATE "C",
  ALTER COLUMN name_fold TYPE text COLLATE "C",
  ALTER COLUMN search_text TYPE text COLLATE "C",
  ALTER COLUMN text_1 TYPE text COLLATE "C",
  ALTER COLUMN text_2 TYPE text COLLATE "C",
  ALTER COLUMN text_3 TYPE text COLLATE "C",
  ALTER COLUMN text_4 TYPE text COLLATE "C",
  ALTER COLUMN text_5 TYPE text COLLATE "C",
  ALTER COLUMN text_6 TYPE text COLLATE "C",
  ALTER COLUMN text_7 TYPE text COLLATE "C",
  ALTER COLUMN text_8 TYPE text COLLATE "C";
ALTER TABLE contacts
  ALTER COLUMN email TYPE text COLLATE "C",
  ALTER COLUMN name_fold TYPE text COLLATE "C",
  ALTER COLUMN search_text TYPE text COLLATE "C",
  ALTER COLUMN text_1 TYPE text COLLATE "C",
  ALTER COLUMN text_2 TYPE text COLLATE "C",
  ALTER COLUMN text_3 TYPE text COLLATE "C",
  ALTER COLUMN text_4 TYPE text COLLATE "C",
  ALTER COLUMN text_5 TYPE text COLLATE "C",
  ALTER COLUMN text_6 TYPE text COLLATE "C",
  ALTER COLUMN text_7 TYPE text COLLATE "C",
  ALTER COLUMN text_8 TYPE text COLLATE "C";
ALTER TABLE opportunities
  ALTER COLUMN account_key TYPE text COLLATE "C",
  ALTER COLUMN name TYPE text COLLATE "C",
  ALTER COLUMN name_fold TYPE text COLLATE "C",
  ALTER COLUMN search_text TYPE text COLLATE "C",
  ALTER COLUMN text_1 TYPE text COLLATE "C",
  ALTER COLUMN text_2 TYPE text COLLATE "C",
  ALTER COLUMN text_3 TYPE text COLLATE "C",
  ALTER COLUMN text_4 TYPE text COLLATE "C",
  ALTER COLUMN text_5 TYPE text COLLATE "C",
  ALTER COLUMN text_6 TYPE text COLLATE "C",
  ALTER COLUMN text_7 TYPE text COLLATE "C",
  ALTER COLUMN text_8 TYPE text COLLATE "C";

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- The form of natural keys, as packages/domain makes them: lower-case ASCII labels of at most 63, at least two, no trailing dot.
CREATE FUNCTION is_domain(p_text text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT length(p_text) <= 253
     AND p_text COLLATE "C" ~ '^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'
$$;

CREATE FUNCTION is_email(p_text text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT length(p_text) <= 254
     AND p_text COLLATE "C" ~ '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@[^@]+$'
     AND strpos(p_text, '@') <= 65
     AND is_domain(split_part(p_text, '@', 2))
$$;

ALTER TABLE organizations ADD CONSTRAINT organizations_freemail_check CHECK (freemail IN ('create', 'skip'));
ALTER TABLE members ADD CONSTRAINT members_email_check CHECK (is_email(email));
ALTER TABLE accounts
  ADD CONSTRAINT accounts_domain_check CHECK (is_domain(domain)),
  ADD CONSTRAINT accounts_name_check CHECK (length(name) BETWEEN 1 AND 255);
ALTER TABLE contacts ADD CONSTRAINT contacts_email_check CHECK (is_email(email));
ALTER TABLE opportunities
  ADD CONSTRAINT opportunities_name_check CHECK (length(name) BETWEEN 1 AND 255 AND name = btrim(name)),
  ADD CONSTRAINT opportunities_amount_check CHECK (abs(amount) < 1e15),
  ADD CONSTRAINT opportunities_close_date_check CHECK (close_date <= 253402300799999),
  ADD CONSTRAINT opportunities_next_action_date_check CHECK (next_action_date <= 253402300799999);
ALTER TABLE custom_fields
  ADD CONSTRAINT custom_fields_object_type_check CHECK (object_type IN ('opportunity', 'account', 'contact')),
  ADD CONSTRAINT custom_fields_slug_check CHECK (slug ~ '^[a-z][a-z0-9_]{0,62}$' AND slug NOT IN ('__proto__', 'constructor', 'prototype'));

-- Sorts by name: the fold's first 200 code points.
CREATE INDEX accounts_name_idx ON accounts (organization_id, left(name_fold, 200), created_at, id);
CREATE INDEX contacts_name_idx ON contacts (organization_id, left(name_fold, 200), created_at, id);
CREATE INDEX opportunities_name_idx ON opportunities (organization_id, pipeline_id, left(name_fold, 200), created_at, id);

-- Free-text search (q): every word occurs somewhere in search_text. The organization, and for opportunities the pipeline,
-- come first so that one tenant's common words do not cost another tenant's search.
CREATE INDEX accounts_search_idx ON accounts USING gin (organization_id, search_text gin_trgm_ops);
CREATE INDEX contacts_search_idx ON contacts USING gin (organization_id, search_text gin_trgm_ops);
CREATE INDEX opportunities_search_idx ON opportunities USING gin (organization_id, pipeline_id, search_text gin_trgm_ops);

-- One index a slot, of the records that have a value in it: an unused slot costs nothing.
CREATE INDEX accounts_text_1_idx ON accounts (organization_id, text_1, created_at, id) WHERE text_1 IS NOT NULL;
CREATE INDEX accounts_text_2_idx ON accounts (organization_id, text_2, created_at, id) WHERE text_2 IS NOT NULL;
CREATE INDEX accounts_text_3_idx ON accounts (organization_id, text_3, created_at, id) WHERE text_3 IS NOT NULL;
CREATE INDEX accounts_text_4_idx ON accounts (organization_id, text_4, created_at, id) WHERE text_4 IS NOT NULL;
CREATE INDEX accounts_text_5_idx ON accounts (organization_id, text_5, created_at, id) WHERE text_5 IS NOT NULL;
CREATE INDEX accounts_text_6_idx ON accounts (organization_id, text_6, created_at, id) WHERE text_6 IS NOT NULL;
CREATE INDEX accounts_text_7_idx ON accounts (organization_id, text_7, created_at, id) WHERE text_7 IS NOT NULL;
CREATE INDEX accounts_text_8_idx ON accounts (organization_id, text_8, created_at, id) WHERE text_8 IS NOT NULL;
CREATE INDEX accounts_number_1_idx ON accounts (organization_id, number_1, created_at, id) WHERE number_1 IS NOT NULL;
CREATE INDEX accounts_number_2_idx ON accounts (organization_id, number_2, created_at, id) WHERE number_2 IS NOT NULL;
CREATE INDEX accounts_number_3_idx ON accounts (organization_id, number_3, created_at, id) WHERE number_3 IS NOT NULL;
CREATE INDEX accounts_number_4_idx ON accounts (organization_id, number_4, created_at, id) WHERE number_4 IS NOT NULL;
CREATE INDEX accounts_number_5_idx ON accounts (organization_id, number_5, created_at, id) WHERE number_5 IS NOT NULL;
CREATE INDEX accounts_number_6_idx ON accounts (organization_id, number_6, created_at, id) WHERE number_6 IS NOT NULL;
CREATE INDEX accounts_number_7_idx ON accounts (organization_id, number_7, created_at, id) WHERE number_7 IS NOT NULL;
CREATE INDEX accounts_number_8_idx ON accounts (organization_id, number_8, created_at, id) WHERE number_8 IS NOT NULL;
CREATE INDEX contacts_text_1_idx ON contacts (organization_id, text_1, created_at, id) WHERE text_1 IS NOT NULL;
CREATE INDEX contacts_text_2_idx ON contacts (organization_id, text_2, created_at, id) WHERE text_2 IS NOT NULL;
CREATE INDEX contacts_text_3_idx ON contacts (organization_id, text_3, created_at, id) WHERE text_3 IS NOT NULL;
CREATE INDEX contacts_text_4_idx ON contacts (organization_id, text_4, created_at, id) WHERE text_4 IS NOT NULL;
CREATE INDEX contacts_text_5_idx ON contacts (organization_id, text_5, created_at, id) WHERE text_5 IS NOT NULL;
CREATE INDEX contacts_text_6_idx ON contacts (organization_id, text_6, created_at, id) WHERE text_6 IS NOT NULL;
CREATE INDEX contacts_text_7_idx ON contacts (organization_id, text_7, created_at, id) WHERE text_7 IS NOT NULL;
CREATE INDEX contacts_text_8_idx ON contacts (organization_id, text_8, created_at, id) WHERE text_8 IS NOT NULL;
CREATE INDEX contacts_number_1_idx ON contacts (organization_id, number_1, created_at, id) WHERE number_1 IS NOT NULL;
CREATE INDEX contacts_number_2_idx ON contacts (organization_id, number_2, created_at, id) WHERE number_2 IS NOT NULL;
CREATE INDEX contacts_number_3_idx ON contacts (organization_id, number_3, created_at, id) WHERE number_3 IS NOT NULL;
CREATE INDEX contacts_number_4_idx ON contacts (organization_id, number_4, created_at, id) WHERE number_4 IS NOT NULL;
CREATE INDEX contacts_number_5_idx ON contacts (organization_id, number_5, created_at, id) WHERE number_5 IS NOT NULL;
CREATE INDEX contacts_number_6_idx ON contacts (organization_id, number_6, created_at, id) WHERE number_6 IS NOT NULL;
CREATE INDEX contacts_number_7_idx ON contacts (organization_id, number_7, created_at, id) WHERE number_7 IS NOT NULL;
CREATE INDEX contacts_number_8_idx ON contacts (organization_id, number_8, created_at, id) WHERE number_8 IS NOT NULL;
CREATE INDEX opportunities_text_1_idx ON opportunities (organization_id, pipeline_id, text_1, created_at, id) WHERE text_1 IS NOT NULL;
CREATE INDEX opportunities_text_2_idx ON opportunities (organization_id, pipeline_id, text_2, created_at, id) WHERE text_2 IS NOT NULL;
CREATE INDEX opportunities_text_3_idx ON opportunities (organization_id, pipeline_id, text_3, created_at, id) WHERE text_3 IS NOT NULL;
CREATE INDEX opportunities_text_4_idx ON opportunities (organization_id, pipeline_id, text_4, created_at, id) WHERE text_4 IS NOT NULL;
CREATE INDEX opportunities_text_5_idx ON opportunities (organization_id, pipeline_id, text_5, created_at, id) WHERE text_5 IS NOT NULL;
CREATE INDEX opportunities_text_6_idx ON opportunities (organization_id, pipeline_id, text_6, created_at, id) WHERE text_6 IS NOT NULL;
CREATE INDEX opportunities_text_7_idx ON opportunities (organization_id, pipeline_id, text_7, created_at, id) WHERE text_7 IS NOT NULL;
CREATE INDEX opportunities_text_8_idx ON opportunities (organization_id, pipeline_id, text_8, created_at, id) WHERE text_8 IS NOT NULL;
CREATE INDEX opportunities_number_1_idx ON opportunities (organization_id, pipeline_id, number_1, created_at, id) WHERE number_1 IS NOT NULL;
CREATE INDEX opportunities_number_2_idx ON opportunities (organization_id, pipeline_id, number_2, created_at, id) WHERE number_2 IS NOT NULL;
CREATE INDEX opportunities_number_3_idx ON opportunities (organization_id, pipeline_id, number_3, created_at, id) WHERE number_3 IS NOT NULL;
CREATE INDEX opportunities_number_4_idx ON opportunities (organization_id, pipeline_id, number_4, created_at, id) WHERE number_4 IS NOT NULL;
CREATE INDEX opportunities_number_5_idx ON opportunities (organization_id, pipeline_id, number_5, created_at, id) WHERE number_5 IS NOT NULL;
CREATE INDEX opportunities_number_6_idx ON opportunities (organization_id, pipeline_id, number_6, created_at, id) WHERE number_6 IS NOT NULL;
CREATE INDEX opportunities_number_7_idx ON opportunities (organization_id, pipeline_id, number_7, created_at, id) WHERE number_7 IS NOT NULL;
CREATE INDEX opportunities_number_8_idx ON opportunities (organization_id, pipeline_id, number_8, created_at, id) WHERE number_8 IS NOT NULL;
