-- The schema of a migrated database: what the migrations in prisma/migrations add up to. Not run by anything.
-- Made by `npm run reference`; a test compares it with a database. README.md says which index serves which query.

CREATE EXTENSION btree_gin;
CREATE EXTENSION pg_trgm;

CREATE TABLE account_aliases (
  organization_id uuid NOT NULL,
  domain text COLLATE "C" NOT NULL,
  account_id uuid NOT NULL,
  CONSTRAINT account_aliases_pkey PRIMARY KEY (organization_id, domain),
  CONSTRAINT account_aliases_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX account_aliases_organization_id_account_id_idx ON account_aliases (organization_id, account_id);

CREATE TABLE accounts (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  domain text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  name text,
  normalized_name text COLLATE "C",
  industry text,
  description text,
  website text,
  employee_range text,
  is_freemail boolean NOT NULL DEFAULT false,
  custom_fields jsonb NOT NULL DEFAULT '{}'::jsonb,
  normalized jsonb NOT NULL DEFAULT '{}'::jsonb,
  search_text text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  version integer NOT NULL DEFAULT 1,
  text_1 text COLLATE "C",
  text_2 text COLLATE "C",
  text_3 text COLLATE "C",
  text_4 text COLLATE "C",
  text_5 text COLLATE "C",
  text_6 text COLLATE "C",
  text_7 text COLLATE "C",
  text_8 text COLLATE "C",
  number_1 double precision,
  number_2 double precision,
  number_3 double precision,
  number_4 double precision,
  number_5 double precision,
  number_6 double precision,
  number_7 double precision,
  number_8 double precision,
  CONSTRAINT accounts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT accounts_domain_check CHECK (((length(domain) <= 253) AND (domain ~ '^([a-z0-9]+(-+[a-z0-9]+)*\.)+[a-z0-9]+(-+[a-z0-9]+)*$'::text) AND (domain !~ '[^.]{64}'::text))),
  CONSTRAINT accounts_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT accounts_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  CONSTRAINT accounts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
) WITH (autovacuum_analyze_threshold=100);
CREATE INDEX accounts_employee_range_idx ON accounts (organization_id, "left"(((normalized ->> 'employee_range'::text) COLLATE "C"), 200), created_at, id);
CREATE INDEX accounts_empty_slots_idx ON accounts (organization_id, ((((((((((((((((((text_1 IS NULL))::integer + (((text_2 IS NULL))::integer * 2)) + (((text_3 IS NULL))::integer * 4)) + (((text_4 IS NULL))::integer * 8)) + (((text_5 IS NULL))::integer * 16)) + (((text_6 IS NULL))::integer * 32)) + (((text_7 IS NULL))::integer * 64)) + (((text_8 IS NULL))::integer * 128)) + (((number_1 IS NULL))::integer * 256)) + (((number_2 IS NULL))::integer * 512)) + (((number_3 IS NULL))::integer * 1024)) + (((number_4 IS NULL))::integer * 2048)) + (((number_5 IS NULL))::integer * 4096)) + (((number_6 IS NULL))::integer * 8192)) + (((number_7 IS NULL))::integer * 16384)) + (((number_8 IS NULL))::integer * 32768))), created_at, id);
CREATE INDEX accounts_external_id_idx ON accounts (organization_id, "left"(((normalized ->> 'external_id'::text) COLLATE "C"), 200), created_at, id);
CREATE UNIQUE INDEX accounts_external_id_key ON accounts (organization_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX accounts_industry_idx ON accounts (organization_id, "left"(((normalized ->> 'industry'::text) COLLATE "C"), 200), created_at, id);
CREATE INDEX accounts_is_freemail_idx ON accounts (organization_id, is_freemail, created_at, id);
CREATE INDEX accounts_name_idx ON accounts (organization_id, "left"(normalized_name, 200), created_at, id);
CREATE INDEX accounts_number_1_changed_idx ON accounts (organization_id, number_1, updated_at, created_at, id) WHERE (number_1 IS NOT NULL);
CREATE INDEX accounts_number_1_idx ON accounts (organization_id, number_1, created_at, id) WHERE (number_1 IS NOT NULL);
CREATE INDEX accounts_number_2_changed_idx ON accounts (organization_id, number_2, updated_at, created_at, id) WHERE (number_2 IS NOT NULL);
CREATE INDEX accounts_number_2_idx ON accounts (organization_id, number_2, created_at, id) WHERE (number_2 IS NOT NULL);
CREATE INDEX accounts_number_3_changed_idx ON accounts (organization_id, number_3, updated_at, created_at, id) WHERE (number_3 IS NOT NULL);
CREATE INDEX accounts_number_3_idx ON accounts (organization_id, number_3, created_at, id) WHERE (number_3 IS NOT NULL);
CREATE INDEX accounts_number_4_changed_idx ON accounts (organization_id, number_4, updated_at, created_at, id) WHERE (number_4 IS NOT NULL);
CREATE INDEX accounts_number_4_idx ON accounts (organization_id, number_4, created_at, id) WHERE (number_4 IS NOT NULL);
CREATE INDEX accounts_number_5_changed_idx ON accounts (organization_id, number_5, updated_at, created_at, id) WHERE (number_5 IS NOT NULL);
CREATE INDEX accounts_number_5_idx ON accounts (organization_id, number_5, created_at, id) WHERE (number_5 IS NOT NULL);
CREATE INDEX accounts_number_6_changed_idx ON accounts (organization_id, number_6, updated_at, created_at, id) WHERE (number_6 IS NOT NULL);
CREATE INDEX accounts_number_6_idx ON accounts (organization_id, number_6, created_at, id) WHERE (number_6 IS NOT NULL);
CREATE INDEX accounts_number_7_changed_idx ON accounts (organization_id, number_7, updated_at, created_at, id) WHERE (number_7 IS NOT NULL);
CREATE INDEX accounts_number_7_idx ON accounts (organization_id, number_7, created_at, id) WHERE (number_7 IS NOT NULL);
CREATE INDEX accounts_number_8_changed_idx ON accounts (organization_id, number_8, updated_at, created_at, id) WHERE (number_8 IS NOT NULL);
CREATE INDEX accounts_number_8_idx ON accounts (organization_id, number_8, created_at, id) WHERE (number_8 IS NOT NULL);
CREATE INDEX accounts_organization_id_created_at_id_idx ON accounts (organization_id, created_at, id);
CREATE UNIQUE INDEX accounts_organization_id_domain_key ON accounts (organization_id, domain);
CREATE INDEX accounts_organization_id_updated_at_created_at_id_idx ON accounts (organization_id, updated_at, created_at, id);
CREATE INDEX accounts_search_idx ON accounts USING gin (organization_id, search_text gin_trgm_ops);
CREATE INDEX accounts_text_1_changed_idx ON accounts (organization_id, text_1, updated_at, created_at, id) WHERE (text_1 IS NOT NULL);
CREATE INDEX accounts_text_1_idx ON accounts (organization_id, text_1, created_at, id) WHERE (text_1 IS NOT NULL);
CREATE INDEX accounts_text_2_changed_idx ON accounts (organization_id, text_2, updated_at, created_at, id) WHERE (text_2 IS NOT NULL);
CREATE INDEX accounts_text_2_idx ON accounts (organization_id, text_2, created_at, id) WHERE (text_2 IS NOT NULL);
CREATE INDEX accounts_text_3_changed_idx ON accounts (organization_id, text_3, updated_at, created_at, id) WHERE (text_3 IS NOT NULL);
CREATE INDEX accounts_text_3_idx ON accounts (organization_id, text_3, created_at, id) WHERE (text_3 IS NOT NULL);
CREATE INDEX accounts_text_4_changed_idx ON accounts (organization_id, text_4, updated_at, created_at, id) WHERE (text_4 IS NOT NULL);
CREATE INDEX accounts_text_4_idx ON accounts (organization_id, text_4, created_at, id) WHERE (text_4 IS NOT NULL);
CREATE INDEX accounts_text_5_changed_idx ON accounts (organization_id, text_5, updated_at, created_at, id) WHERE (text_5 IS NOT NULL);
CREATE INDEX accounts_text_5_idx ON accounts (organization_id, text_5, created_at, id) WHERE (text_5 IS NOT NULL);
CREATE INDEX accounts_text_6_changed_idx ON accounts (organization_id, text_6, updated_at, created_at, id) WHERE (text_6 IS NOT NULL);
CREATE INDEX accounts_text_6_idx ON accounts (organization_id, text_6, created_at, id) WHERE (text_6 IS NOT NULL);
CREATE INDEX accounts_text_7_changed_idx ON accounts (organization_id, text_7, updated_at, created_at, id) WHERE (text_7 IS NOT NULL);
CREATE INDEX accounts_text_7_idx ON accounts (organization_id, text_7, created_at, id) WHERE (text_7 IS NOT NULL);
CREATE INDEX accounts_text_8_changed_idx ON accounts (organization_id, text_8, updated_at, created_at, id) WHERE (text_8 IS NOT NULL);
CREATE INDEX accounts_text_8_idx ON accounts (organization_id, text_8, created_at, id) WHERE (text_8 IS NOT NULL);
CREATE INDEX accounts_website_idx ON accounts (organization_id, "left"(((normalized ->> 'website'::text) COLLATE "C"), 200), created_at, id);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  hash bytea NOT NULL,
  allowed_operations text[],
  limits jsonb NOT NULL DEFAULT '{}'::jsonb,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  last_used_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  replaced_by uuid,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (hash);
CREATE INDEX api_keys_organization_id_idx ON api_keys (organization_id);

CREATE TABLE audit_events (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  actor text NOT NULL,
  os_user text,
  command_id uuid NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}'::jsonb,
  CONSTRAINT audit_events_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT audit_events_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);
CREATE INDEX audit_events_organization_id_created_at_id_idx ON audit_events (organization_id, created_at, id);

CREATE TABLE contact_aliases (
  organization_id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  contact_id uuid NOT NULL,
  CONSTRAINT contact_aliases_pkey PRIMARY KEY (organization_id, email),
  CONSTRAINT contact_aliases_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_aliases_organization_id_contact_id_idx ON contact_aliases (organization_id, contact_id);

CREATE TABLE contacts (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  first_name text,
  last_name text,
  normalized_name text COLLATE "C",
  account_id uuid,
  job_title text,
  phone text,
  custom_fields jsonb NOT NULL DEFAULT '{}'::jsonb,
  normalized jsonb NOT NULL DEFAULT '{}'::jsonb,
  search_text text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  version integer NOT NULL DEFAULT 1,
  text_1 text COLLATE "C",
  text_2 text COLLATE "C",
  text_3 text COLLATE "C",
  text_4 text COLLATE "C",
  text_5 text COLLATE "C",
  text_6 text COLLATE "C",
  text_7 text COLLATE "C",
  text_8 text COLLATE "C",
  number_1 double precision,
  number_2 double precision,
  number_3 double precision,
  number_4 double precision,
  number_5 double precision,
  number_6 double precision,
  number_7 double precision,
  number_8 double precision,
  CONSTRAINT contacts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT contacts_email_check CHECK (((length(email) <= 254) AND (strpos(email, '@'::text) <= 65) AND (email ~ '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@([a-z0-9]+(-+[a-z0-9]+)*\.)+[a-z0-9]+(-+[a-z0-9]+)*$'::text) AND (email !~ '@.*[^.]{64}'::text))),
  CONSTRAINT contacts_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT contacts_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT contacts_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
) WITH (autovacuum_analyze_threshold=100);
CREATE INDEX contacts_empty_slots_idx ON contacts (organization_id, ((((((((((((((((((text_1 IS NULL))::integer + (((text_2 IS NULL))::integer * 2)) + (((text_3 IS NULL))::integer * 4)) + (((text_4 IS NULL))::integer * 8)) + (((text_5 IS NULL))::integer * 16)) + (((text_6 IS NULL))::integer * 32)) + (((text_7 IS NULL))::integer * 64)) + (((text_8 IS NULL))::integer * 128)) + (((number_1 IS NULL))::integer * 256)) + (((number_2 IS NULL))::integer * 512)) + (((number_3 IS NULL))::integer * 1024)) + (((number_4 IS NULL))::integer * 2048)) + (((number_5 IS NULL))::integer * 4096)) + (((number_6 IS NULL))::integer * 8192)) + (((number_7 IS NULL))::integer * 16384)) + (((number_8 IS NULL))::integer * 32768))), created_at, id);
CREATE INDEX contacts_external_id_idx ON contacts (organization_id, "left"(((normalized ->> 'external_id'::text) COLLATE "C"), 200), created_at, id);
CREATE UNIQUE INDEX contacts_external_id_key ON contacts (organization_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX contacts_first_name_idx ON contacts (organization_id, "left"(((normalized ->> 'first_name'::text) COLLATE "C"), 200), created_at, id);
CREATE INDEX contacts_job_title_idx ON contacts (organization_id, "left"(((normalized ->> 'job_title'::text) COLLATE "C"), 200), created_at, id);
CREATE INDEX contacts_last_name_idx ON contacts (organization_id, "left"(((normalized ->> 'last_name'::text) COLLATE "C"), 200), created_at, id);
CREATE INDEX contacts_name_idx ON contacts (organization_id, "left"(normalized_name, 200), created_at, id);
CREATE INDEX contacts_number_1_changed_idx ON contacts (organization_id, number_1, updated_at, created_at, id) WHERE (number_1 IS NOT NULL);
CREATE INDEX contacts_number_1_idx ON contacts (organization_id, number_1, created_at, id) WHERE (number_1 IS NOT NULL);
CREATE INDEX contacts_number_2_changed_idx ON contacts (organization_id, number_2, updated_at, created_at, id) WHERE (number_2 IS NOT NULL);
CREATE INDEX contacts_number_2_idx ON contacts (organization_id, number_2, created_at, id) WHERE (number_2 IS NOT NULL);
CREATE INDEX contacts_number_3_changed_idx ON contacts (organization_id, number_3, updated_at, created_at, id) WHERE (number_3 IS NOT NULL);
CREATE INDEX contacts_number_3_idx ON contacts (organization_id, number_3, created_at, id) WHERE (number_3 IS NOT NULL);
CREATE INDEX contacts_number_4_changed_idx ON contacts (organization_id, number_4, updated_at, created_at, id) WHERE (number_4 IS NOT NULL);
CREATE INDEX contacts_number_4_idx ON contacts (organization_id, number_4, created_at, id) WHERE (number_4 IS NOT NULL);
CREATE INDEX contacts_number_5_changed_idx ON contacts (organization_id, number_5, updated_at, created_at, id) WHERE (number_5 IS NOT NULL);
CREATE INDEX contacts_number_5_idx ON contacts (organization_id, number_5, created_at, id) WHERE (number_5 IS NOT NULL);
CREATE INDEX contacts_number_6_changed_idx ON contacts (organization_id, number_6, updated_at, created_at, id) WHERE (number_6 IS NOT NULL);
CREATE INDEX contacts_number_6_idx ON contacts (organization_id, number_6, created_at, id) WHERE (number_6 IS NOT NULL);
CREATE INDEX contacts_number_7_changed_idx ON contacts (organization_id, number_7, updated_at, created_at, id) WHERE (number_7 IS NOT NULL);
CREATE INDEX contacts_number_7_idx ON contacts (organization_id, number_7, created_at, id) WHERE (number_7 IS NOT NULL);
CREATE INDEX contacts_number_8_changed_idx ON contacts (organization_id, number_8, updated_at, created_at, id) WHERE (number_8 IS NOT NULL);
CREATE INDEX contacts_number_8_idx ON contacts (organization_id, number_8, created_at, id) WHERE (number_8 IS NOT NULL);
CREATE INDEX contacts_organization_id_account_id_created_at_id_idx ON contacts (organization_id, account_id, created_at, id);
CREATE INDEX contacts_organization_id_created_at_id_idx ON contacts (organization_id, created_at, id);
CREATE UNIQUE INDEX contacts_organization_id_email_key ON contacts (organization_id, email);
CREATE INDEX contacts_organization_id_updated_at_created_at_id_idx ON contacts (organization_id, updated_at, created_at, id);
CREATE INDEX contacts_phone_idx ON contacts (organization_id, "left"(((normalized ->> 'phone'::text) COLLATE "C"), 200), created_at, id);
CREATE INDEX contacts_search_idx ON contacts USING gin (organization_id, search_text gin_trgm_ops);
CREATE INDEX contacts_text_1_changed_idx ON contacts (organization_id, text_1, updated_at, created_at, id) WHERE (text_1 IS NOT NULL);
CREATE INDEX contacts_text_1_idx ON contacts (organization_id, text_1, created_at, id) WHERE (text_1 IS NOT NULL);
CREATE INDEX contacts_text_2_changed_idx ON contacts (organization_id, text_2, updated_at, created_at, id) WHERE (text_2 IS NOT NULL);
CREATE INDEX contacts_text_2_idx ON contacts (organization_id, text_2, created_at, id) WHERE (text_2 IS NOT NULL);
CREATE INDEX contacts_text_3_changed_idx ON contacts (organization_id, text_3, updated_at, created_at, id) WHERE (text_3 IS NOT NULL);
CREATE INDEX contacts_text_3_idx ON contacts (organization_id, text_3, created_at, id) WHERE (text_3 IS NOT NULL);
CREATE INDEX contacts_text_4_changed_idx ON contacts (organization_id, text_4, updated_at, created_at, id) WHERE (text_4 IS NOT NULL);
CREATE INDEX contacts_text_4_idx ON contacts (organization_id, text_4, created_at, id) WHERE (text_4 IS NOT NULL);
CREATE INDEX contacts_text_5_changed_idx ON contacts (organization_id, text_5, updated_at, created_at, id) WHERE (text_5 IS NOT NULL);
CREATE INDEX contacts_text_5_idx ON contacts (organization_id, text_5, created_at, id) WHERE (text_5 IS NOT NULL);
CREATE INDEX contacts_text_6_changed_idx ON contacts (organization_id, text_6, updated_at, created_at, id) WHERE (text_6 IS NOT NULL);
CREATE INDEX contacts_text_6_idx ON contacts (organization_id, text_6, created_at, id) WHERE (text_6 IS NOT NULL);
CREATE INDEX contacts_text_7_changed_idx ON contacts (organization_id, text_7, updated_at, created_at, id) WHERE (text_7 IS NOT NULL);
CREATE INDEX contacts_text_7_idx ON contacts (organization_id, text_7, created_at, id) WHERE (text_7 IS NOT NULL);
CREATE INDEX contacts_text_8_changed_idx ON contacts (organization_id, text_8, updated_at, created_at, id) WHERE (text_8 IS NOT NULL);
CREATE INDEX contacts_text_8_idx ON contacts (organization_id, text_8, created_at, id) WHERE (text_8 IS NOT NULL);

CREATE TABLE custom_field_pipelines (
  organization_id uuid NOT NULL,
  custom_field_id uuid NOT NULL,
  pipeline_id uuid NOT NULL,
  CONSTRAINT custom_field_pipelines_pkey PRIMARY KEY (organization_id, custom_field_id, pipeline_id),
  CONSTRAINT custom_field_pipelines_organization_id_custom_field_id_fkey FOREIGN KEY (organization_id, custom_field_id) REFERENCES custom_fields(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT custom_field_pipelines_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE RESTRICT
);

CREATE TABLE custom_fields (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  attribute_type text NOT NULL,
  metadata jsonb,
  "position" integer NOT NULL,
  is_hidden boolean NOT NULL DEFAULT false,
  all_pipelines boolean NOT NULL DEFAULT true,
  slot text COLLATE "C",
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_active boolean NOT NULL DEFAULT true,
  CONSTRAINT custom_fields_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT custom_fields_object_type_check CHECK ((object_type = ANY (ARRAY['opportunity'::text, 'account'::text, 'contact'::text]))),
  CONSTRAINT custom_fields_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT,
  CONSTRAINT custom_fields_slug_check CHECK (((slug ~ '^[a-z][a-z0-9_]{0,62}$'::text) AND (slug <> ALL (ARRAY['__proto__'::text, 'constructor'::text, 'prototype'::text]))))
);
CREATE UNIQUE INDEX custom_fields_organization_id_object_type_slot_key ON custom_fields (organization_id, object_type, slot);
CREATE UNIQUE INDEX custom_fields_organization_id_object_type_slug_key ON custom_fields (organization_id, object_type, slug);

CREATE TABLE event_heads (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  oldest_position bigint NOT NULL,
  CONSTRAINT event_heads_pkey PRIMARY KEY (organization_id),
  CONSTRAINT event_heads_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
) WITH (fillfactor=20);

CREATE TABLE event_timelines (
  system_identifier bigint NOT NULL,
  timeline integer NOT NULL,
  began_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT event_timelines_pkey PRIMARY KEY (system_identifier, timeline)
);

CREATE TABLE events (
  organization_id uuid NOT NULL,
  "position" bigint NOT NULL,
  occurred_at timestamp(3) with time zone NOT NULL,
  id uuid NOT NULL,
  type text COLLATE "C" NOT NULL,
  object text COLLATE "C" NOT NULL,
  record_id uuid NOT NULL,
  version integer NOT NULL,
  request_id text,
  api_key_id uuid,
  record jsonb,
  previous jsonb,
  changed text[] NOT NULL DEFAULT ARRAY[]::text[],
  is_erased boolean NOT NULL DEFAULT false,
  CONSTRAINT events_pkey PRIMARY KEY (organization_id, "position", occurred_at)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX events_organization_id_object_record_id_position_idx ON events (organization_id, object, record_id, "position");

CREATE TABLE function_versions (
  number integer NOT NULL,
  digest text NOT NULL,
  release text NOT NULL,
  installed_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT function_versions_pkey PRIMARY KEY (number)
);

CREATE TABLE gateway_requirements (
  migration text NOT NULL,
  needs text NOT NULL,
  CONSTRAINT gateway_requirements_pkey PRIMARY KEY (migration)
);

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  operation text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request_hash text NOT NULL,
  result jsonb NOT NULL,
  record_ids uuid[] NOT NULL DEFAULT ARRAY[]::uuid[],
  expires_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, operation, key),
  CONSTRAINT idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);
CREATE INDEX idempotency_keys_organization_id_expires_at_idx ON idempotency_keys (organization_id, expires_at);
CREATE INDEX idempotency_keys_record_ids_idx ON idempotency_keys USING gin (organization_id, record_ids);

CREATE TABLE members (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_active boolean NOT NULL DEFAULT true,
  CONSTRAINT members_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT members_email_check CHECK (((length(email) <= 254) AND (strpos(email, '@'::text) <= 65) AND (email ~ '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@([a-z0-9]+(-+[a-z0-9]+)*\.)+[a-z0-9]+(-+[a-z0-9]+)*$'::text) AND (email !~ '@.*[^.]{64}'::text))),
  CONSTRAINT members_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX members_organization_id_email_key ON members (organization_id, email);

CREATE TABLE merged_records (
  organization_id uuid NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  merged_into uuid NOT NULL,
  CONSTRAINT merged_records_pkey PRIMARY KEY (organization_id, object_type, id),
  CONSTRAINT merged_records_object_type_check CHECK ((object_type = ANY (ARRAY['opportunity'::text, 'account'::text, 'contact'::text]))),
  CONSTRAINT merged_records_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);
CREATE INDEX merged_records_organization_id_object_type_merged_into_idx ON merged_records (organization_id, object_type, merged_into);

CREATE TABLE note_accounts (
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL,
  account_id uuid NOT NULL,
  CONSTRAINT note_accounts_pkey PRIMARY KEY (organization_id, note_id, account_id),
  CONSTRAINT note_accounts_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT note_accounts_organization_id_note_id_fkey FOREIGN KEY (organization_id, note_id) REFERENCES notes(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_accounts_organization_id_account_id_note_id_idx ON note_accounts (organization_id, account_id, note_id);

CREATE TABLE note_contacts (
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  CONSTRAINT note_contacts_pkey PRIMARY KEY (organization_id, note_id, contact_id),
  CONSTRAINT note_contacts_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT note_contacts_organization_id_note_id_fkey FOREIGN KEY (organization_id, note_id) REFERENCES notes(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_contacts_organization_id_contact_id_note_id_idx ON note_contacts (organization_id, contact_id, note_id);

CREATE TABLE note_opportunities (
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL,
  opportunity_id uuid NOT NULL,
  CONSTRAINT note_opportunities_pkey PRIMARY KEY (organization_id, note_id, opportunity_id),
  CONSTRAINT note_opportunities_organization_id_note_id_fkey FOREIGN KEY (organization_id, note_id) REFERENCES notes(organization_id, id) ON DELETE CASCADE,
  CONSTRAINT note_opportunities_organization_id_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunities(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_opportunities_organization_id_opportunity_id_note_id_idx ON note_opportunities (organization_id, opportunity_id, note_id);

CREATE TABLE notes (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  title text,
  content text,
  normalized_title text COLLATE "C",
  search_text text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT notes_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT notes_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
) WITH (autovacuum_analyze_threshold=100);
CREATE INDEX notes_search_idx ON notes USING gin (organization_id, search_text gin_trgm_ops);

CREATE TABLE opportunities (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  pipeline_id uuid NOT NULL,
  account_key text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  normalized_name text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  stage_id uuid,
  account_id uuid,
  contact_id uuid,
  owner_id uuid,
  amount numeric(19,4),
  currency text,
  close_date bigint,
  next_action_date bigint,
  next_step text,
  record text NOT NULL,
  custom_fields jsonb NOT NULL DEFAULT '{}'::jsonb,
  normalized jsonb NOT NULL DEFAULT '{}'::jsonb,
  search_text text COLLATE "C" NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  version integer NOT NULL DEFAULT 1,
  account_domain text COLLATE "C",
  account_name_key text COLLATE "C",
  contact_email text COLLATE "C",
  contact_first_name_key text COLLATE "C",
  contact_last_name_key text COLLATE "C",
  text_1 text COLLATE "C",
  text_2 text COLLATE "C",
  text_3 text COLLATE "C",
  text_4 text COLLATE "C",
  text_5 text COLLATE "C",
  text_6 text COLLATE "C",
  text_7 text COLLATE "C",
  text_8 text COLLATE "C",
  number_1 double precision,
  number_2 double precision,
  number_3 double precision,
  number_4 double precision,
  number_5 double precision,
  number_6 double precision,
  number_7 double precision,
  number_8 double precision,
  CONSTRAINT opportunities_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT opportunities_amount_check CHECK ((abs(amount) < '1000000000000000'::numeric)),
  CONSTRAINT opportunities_close_date_check CHECK ((close_date <= '253402300799999'::bigint)),
  CONSTRAINT opportunities_external_id_check CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255))),
  CONSTRAINT opportunities_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 255)) AND (name = btrim(name)))),
  CONSTRAINT opportunities_next_action_date_check CHECK ((next_action_date <= '253402300799999'::bigint)),
  CONSTRAINT opportunities_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id) REFERENCES accounts(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_owner_id_fkey FOREIGN KEY (organization_id, owner_id) REFERENCES members(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_pipeline_id_stage_id_fkey FOREIGN KEY (organization_id, pipeline_id, stage_id) REFERENCES stages(organization_id, pipeline_id, id) ON DELETE RESTRICT
) WITH (autovacuum_analyze_threshold=100);
CREATE INDEX opportunities_account_domain_idx ON opportunities (organization_id, pipeline_id, account_domain, created_at, id);
CREATE INDEX opportunities_account_name_idx ON opportunities (organization_id, pipeline_id, account_name_key, created_at, id);
CREATE INDEX opportunities_contact_email_idx ON opportunities (organization_id, pipeline_id, contact_email, created_at, id);
CREATE INDEX opportunities_contact_first_name_idx ON opportunities (organization_id, pipeline_id, contact_first_name_key, created_at, id);
CREATE INDEX opportunities_contact_last_name_idx ON opportunities (organization_id, pipeline_id, contact_last_name_key, created_at, id);
CREATE INDEX opportunities_empty_slots_idx ON opportunities (organization_id, pipeline_id, ((((((((((((((((((text_1 IS NULL))::integer + (((text_2 IS NULL))::integer * 2)) + (((text_3 IS NULL))::integer * 4)) + (((text_4 IS NULL))::integer * 8)) + (((text_5 IS NULL))::integer * 16)) + (((text_6 IS NULL))::integer * 32)) + (((text_7 IS NULL))::integer * 64)) + (((text_8 IS NULL))::integer * 128)) + (((number_1 IS NULL))::integer * 256)) + (((number_2 IS NULL))::integer * 512)) + (((number_3 IS NULL))::integer * 1024)) + (((number_4 IS NULL))::integer * 2048)) + (((number_5 IS NULL))::integer * 4096)) + (((number_6 IS NULL))::integer * 8192)) + (((number_7 IS NULL))::integer * 16384)) + (((number_8 IS NULL))::integer * 32768))), created_at, id);
CREATE INDEX opportunities_external_id_idx ON opportunities (organization_id, pipeline_id, "left"(((normalized ->> 'external_id'::text) COLLATE "C"), 200), created_at, id);
CREATE UNIQUE INDEX opportunities_external_id_key ON opportunities (organization_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX opportunities_name_idx ON opportunities (organization_id, pipeline_id, "left"(normalized_name, 200), created_at, id);
CREATE INDEX opportunities_number_1_changed_idx ON opportunities (organization_id, pipeline_id, number_1, updated_at, created_at, id) WHERE (number_1 IS NOT NULL);
CREATE INDEX opportunities_number_1_idx ON opportunities (organization_id, pipeline_id, number_1, created_at, id) WHERE (number_1 IS NOT NULL);
CREATE INDEX opportunities_number_2_changed_idx ON opportunities (organization_id, pipeline_id, number_2, updated_at, created_at, id) WHERE (number_2 IS NOT NULL);
CREATE INDEX opportunities_number_2_idx ON opportunities (organization_id, pipeline_id, number_2, created_at, id) WHERE (number_2 IS NOT NULL);
CREATE INDEX opportunities_number_3_changed_idx ON opportunities (organization_id, pipeline_id, number_3, updated_at, created_at, id) WHERE (number_3 IS NOT NULL);
CREATE INDEX opportunities_number_3_idx ON opportunities (organization_id, pipeline_id, number_3, created_at, id) WHERE (number_3 IS NOT NULL);
CREATE INDEX opportunities_number_4_changed_idx ON opportunities (organization_id, pipeline_id, number_4, updated_at, created_at, id) WHERE (number_4 IS NOT NULL);
CREATE INDEX opportunities_number_4_idx ON opportunities (organization_id, pipeline_id, number_4, created_at, id) WHERE (number_4 IS NOT NULL);
CREATE INDEX opportunities_number_5_changed_idx ON opportunities (organization_id, pipeline_id, number_5, updated_at, created_at, id) WHERE (number_5 IS NOT NULL);
CREATE INDEX opportunities_number_5_idx ON opportunities (organization_id, pipeline_id, number_5, created_at, id) WHERE (number_5 IS NOT NULL);
CREATE INDEX opportunities_number_6_changed_idx ON opportunities (organization_id, pipeline_id, number_6, updated_at, created_at, id) WHERE (number_6 IS NOT NULL);
CREATE INDEX opportunities_number_6_idx ON opportunities (organization_id, pipeline_id, number_6, created_at, id) WHERE (number_6 IS NOT NULL);
CREATE INDEX opportunities_number_7_changed_idx ON opportunities (organization_id, pipeline_id, number_7, updated_at, created_at, id) WHERE (number_7 IS NOT NULL);
CREATE INDEX opportunities_number_7_idx ON opportunities (organization_id, pipeline_id, number_7, created_at, id) WHERE (number_7 IS NOT NULL);
CREATE INDEX opportunities_number_8_changed_idx ON opportunities (organization_id, pipeline_id, number_8, updated_at, created_at, id) WHERE (number_8 IS NOT NULL);
CREATE INDEX opportunities_number_8_idx ON opportunities (organization_id, pipeline_id, number_8, created_at, id) WHERE (number_8 IS NOT NULL);
CREATE INDEX opportunities_organization_id_account_id_pipeline_id_create_idx ON opportunities (organization_id, account_id, pipeline_id, created_at, id);
CREATE INDEX opportunities_organization_id_contact_id_pipeline_id_create_idx ON opportunities (organization_id, contact_id, pipeline_id, created_at, id);
CREATE UNIQUE INDEX opportunities_organization_id_pipeline_id_account_key_name_key ON opportunities (organization_id, pipeline_id, account_key, name);
CREATE INDEX opportunities_organization_id_pipeline_id_amount_created_at_idx ON opportunities (organization_id, pipeline_id, amount, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_close_date_create_idx ON opportunities (organization_id, pipeline_id, close_date, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_created_at_id_idx ON opportunities (organization_id, pipeline_id, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_next_action_date__idx ON opportunities (organization_id, pipeline_id, next_action_date, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_owner_id_created__idx ON opportunities (organization_id, pipeline_id, owner_id, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_stage_id_created__idx ON opportunities (organization_id, pipeline_id, stage_id, created_at, id) INCLUDE (amount, currency);
CREATE INDEX opportunities_organization_id_pipeline_id_updated_at_create_idx ON opportunities (organization_id, pipeline_id, updated_at, created_at, id);
CREATE INDEX opportunities_owner_id_changed_idx ON opportunities (organization_id, pipeline_id, owner_id, updated_at, created_at, id);
CREATE INDEX opportunities_search_idx ON opportunities USING gin (organization_id, pipeline_id, search_text gin_trgm_ops);
CREATE INDEX opportunities_stage_id_changed_idx ON opportunities (organization_id, pipeline_id, stage_id, updated_at, created_at, id);
CREATE INDEX opportunities_text_1_changed_idx ON opportunities (organization_id, pipeline_id, text_1, updated_at, created_at, id) WHERE (text_1 IS NOT NULL);
CREATE INDEX opportunities_text_1_idx ON opportunities (organization_id, pipeline_id, text_1, created_at, id) WHERE (text_1 IS NOT NULL);
CREATE INDEX opportunities_text_2_changed_idx ON opportunities (organization_id, pipeline_id, text_2, updated_at, created_at, id) WHERE (text_2 IS NOT NULL);
CREATE INDEX opportunities_text_2_idx ON opportunities (organization_id, pipeline_id, text_2, created_at, id) WHERE (text_2 IS NOT NULL);
CREATE INDEX opportunities_text_3_changed_idx ON opportunities (organization_id, pipeline_id, text_3, updated_at, created_at, id) WHERE (text_3 IS NOT NULL);
CREATE INDEX opportunities_text_3_idx ON opportunities (organization_id, pipeline_id, text_3, created_at, id) WHERE (text_3 IS NOT NULL);
CREATE INDEX opportunities_text_4_changed_idx ON opportunities (organization_id, pipeline_id, text_4, updated_at, created_at, id) WHERE (text_4 IS NOT NULL);
CREATE INDEX opportunities_text_4_idx ON opportunities (organization_id, pipeline_id, text_4, created_at, id) WHERE (text_4 IS NOT NULL);
CREATE INDEX opportunities_text_5_changed_idx ON opportunities (organization_id, pipeline_id, text_5, updated_at, created_at, id) WHERE (text_5 IS NOT NULL);
CREATE INDEX opportunities_text_5_idx ON opportunities (organization_id, pipeline_id, text_5, created_at, id) WHERE (text_5 IS NOT NULL);
CREATE INDEX opportunities_text_6_changed_idx ON opportunities (organization_id, pipeline_id, text_6, updated_at, created_at, id) WHERE (text_6 IS NOT NULL);
CREATE INDEX opportunities_text_6_idx ON opportunities (organization_id, pipeline_id, text_6, created_at, id) WHERE (text_6 IS NOT NULL);
CREATE INDEX opportunities_text_7_changed_idx ON opportunities (organization_id, pipeline_id, text_7, updated_at, created_at, id) WHERE (text_7 IS NOT NULL);
CREATE INDEX opportunities_text_7_idx ON opportunities (organization_id, pipeline_id, text_7, created_at, id) WHERE (text_7 IS NOT NULL);
CREATE INDEX opportunities_text_8_changed_idx ON opportunities (organization_id, pipeline_id, text_8, updated_at, created_at, id) WHERE (text_8 IS NOT NULL);
CREATE INDEX opportunities_text_8_idx ON opportunities (organization_id, pipeline_id, text_8, created_at, id) WHERE (text_8 IS NOT NULL);
CREATE STATISTICS opportunities_pipelines (dependencies) ON organization_id, pipeline_id FROM opportunities;

CREATE TABLE opportunity_contacts (
  organization_id uuid NOT NULL,
  opportunity_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  "position" integer NOT NULL,
  CONSTRAINT opportunity_contacts_pkey PRIMARY KEY (organization_id, opportunity_id, contact_id),
  CONSTRAINT opportunity_contacts_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id) REFERENCES contacts(organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunity_contacts_organization_id_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id) REFERENCES opportunities(organization_id, id) ON DELETE CASCADE
);
CREATE INDEX opportunity_contacts_organization_id_contact_id_idx ON opportunity_contacts (organization_id, contact_id);

CREATE TABLE organizations (
  id uuid NOT NULL,
  name text NOT NULL,
  freemail text NOT NULL DEFAULT 'create'::text,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  limits jsonb NOT NULL DEFAULT '{}'::jsonb,
  currency text,
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  CONSTRAINT organizations_freemail_check CHECK ((freemail = ANY (ARRAY['create'::text, 'skip'::text])))
);

CREATE TABLE pipelines (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  "position" integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_active boolean NOT NULL DEFAULT true,
  CONSTRAINT pipelines_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT pipelines_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX pipelines_organization_id_name_key ON pipelines (organization_id, name);

CREATE TABLE record_rebuilds (
  organization_id uuid NOT NULL,
  outdated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT record_rebuilds_pkey PRIMARY KEY (organization_id),
  CONSTRAINT record_rebuilds_organization_id_fkey FOREIGN KEY (organization_id) REFERENCES organizations(id) ON DELETE RESTRICT
);

CREATE TABLE stages (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  pipeline_id uuid NOT NULL,
  label text COLLATE "C" NOT NULL,
  "position" integer NOT NULL,
  color text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  is_default boolean NOT NULL DEFAULT false,
  probability double precision,
  CONSTRAINT stages_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT stages_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id) REFERENCES pipelines(organization_id, id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX stages_organization_id_pipeline_id_id_key ON stages (organization_id, pipeline_id, id);
CREATE UNIQUE INDEX stages_organization_id_pipeline_id_label_key ON stages (organization_id, pipeline_id, label);

-- Write functions, by the file of sql/functions that has their text.

-- account_changes.sql
--   changed_account(p_row accounts, p_change jsonb) → accounts
--   account_effect(p_organization_id uuid, p_id uuid, p_change jsonb, OUT version integer, OUT is_changed boolean, OUT has_new_name boolean, OUT has_new_key boolean) → record
--   lock_account_changes(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) → void
--   claim_domain(p_organization_id uuid, p_domain text) → void
--   update_account_row(n accounts) → void
--   copy_account_texts(p_account accounts) → void
--   apply_account_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_holds_name boolean) → boolean
--   change_account(p_organization_id uuid, p_id uuid, p_change jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_renamed_ids uuid[] DEFAULT '{}'::uuid[]) → boolean
-- accounts.sql
--   find_account_ids(p_organization_id uuid, p_domains jsonb) → uuid[]
--   share_account_names(p_organization_id uuid, p_domains jsonb) → uuid[]
--   require_account_ids(p_organization_id uuid, p_domains jsonb) → uuid[]
--   require_account_id(p_organization_id uuid, p_domain text) → uuid
--   ensure_accounts(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb DEFAULT '[]'::jsonb) → void
--   insert_account(p_organization_id uuid, p_input jsonb) → accounts
--   account_of_create(p_organization_id uuid, p_set jsonb) → accounts
--   sends_new_domain(p_row accounts, p_set jsonb) → boolean
--   matched_account_change(p_row accounts, p_input jsonb) → jsonb
--   account_result(p_row accounts, p_status text, p_input jsonb) → jsonb
--   create_account(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_renamed_ids uuid[] DEFAULT '{}'::uuid[]) → jsonb
--   update_account(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_renamed_ids uuid[] DEFAULT '{}'::uuid[]) → jsonb
--   delete_account(p_organization_id uuid, p_input jsonb) → jsonb
-- aliases.sql
--   find_account(p_organization_id uuid, p_domain text) → accounts
--   find_contact(p_organization_id uuid, p_email text) → contacts
--   check_domain_is_no_alias(p_organization_id uuid, p_domain text) → void
--   check_email_is_no_alias(p_organization_id uuid, p_email text) → void
--   take_domain(p_organization_id uuid, p_domain text, p_account_id uuid) → void
--   take_email(p_organization_id uuid, p_email text, p_contact_id uuid) → void
-- bulk.sql
--   write_many(p_organization_id uuid, p_input jsonb) → jsonb
-- bulk_locks.sql
--   input_values(p_items jsonb, p_key text) → jsonb
--   ensure_accounts_of_items(p_organization_id uuid, p_items jsonb) → void
--   missing_items(p_organization_id uuid, p_function text, p_items jsonb, p_found_ids uuid[]) → jsonb
--   insert_items(p_organization_id uuid, p_function text, p_items jsonb) → jsonb
--   prepare_account_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked_ids uuid[], OUT p_renamed_ids uuid[]) → record
--   prepare_contact_items(p_organization_id uuid, p_function text, p_items jsonb, OUT p_locked_ids uuid[], OUT p_renamed_ids uuid[]) → record
--   claim_changed_keys(p_organization_id uuid, p_items jsonb) → void
--   prepare_opportunity_items(p_organization_id uuid, p_function text, INOUT p_items jsonb, OUT p_locked_ids uuid[], OUT p_name_ids uuid[]) → record
-- contact_changes.sql
--   changed_contact(p_row contacts, p_change jsonb) → contacts
--   contact_is_renamed(p_old contacts, p_new contacts) → boolean
--   contact_effect(p_organization_id uuid, p_id uuid, p_change jsonb, OUT version integer, OUT is_changed boolean, OUT has_new_name boolean, OUT has_new_key boolean) → record
--   opportunity_ids_of_contact(p_organization_id uuid, p_contact_id uuid, p_limit integer DEFAULT NULL::integer) → uuid[]
--   lock_contact_changes(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) → void
--   claim_email(p_organization_id uuid, p_email text) → void
--   update_contact_row(n contacts) → void
--   copy_contact_texts(p_contact contacts) → void
--   apply_contact_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_holds_name boolean) → boolean
--   change_contact(p_organization_id uuid, p_id uuid, p_change jsonb, p_accounts jsonb DEFAULT '[]'::jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_renamed_ids uuid[] DEFAULT '{}'::uuid[]) → boolean
-- contact_deletion.sql
--   detach_contact(p_organization_id uuid, p_id uuid, p_opportunity_ids uuid[]) → void
--   delete_contact(p_organization_id uuid, p_input jsonb) → jsonb
-- contacts.sql
--   find_contact_ids(p_organization_id uuid, p_emails jsonb) → uuid[]
--   share_contact_names(p_organization_id uuid, p_emails jsonb) → uuid[]
--   require_contact_ids(p_organization_id uuid, p_emails jsonb) → uuid[]
--   require_contact_id(p_organization_id uuid, p_email text) → uuid
--   ensure_contacts(p_organization_id uuid, p_contacts jsonb) → void
--   ensure_related(p_organization_id uuid, p_accounts jsonb, p_contacts jsonb) → void
--   insert_contact(p_organization_id uuid, p_input jsonb) → contacts
--   contact_of_create(p_organization_id uuid, p_set jsonb) → contacts
--   sends_new_email(p_row contacts, p_set jsonb) → boolean
--   matched_contact_change(p_row contacts, p_input jsonb) → jsonb
--   contact_result(p_row contacts, p_status text, p_input jsonb) → jsonb
--   create_contact(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_renamed_ids uuid[] DEFAULT '{}'::uuid[]) → jsonb
--   update_contact(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_renamed_ids uuid[] DEFAULT '{}'::uuid[]) → jsonb
-- event_partitions.sql
--   event_week(p_at timestamp with time zone) → timestamp with time zone
--   events_expire_before(p_days integer) → timestamp with time zone
--   make_event_partitions() → integer
--   expire_events(p_organization_id uuid, p_days integer) → void
--   drop_event_partitions(p_days integer) → integer
-- event_records.sql
--   event_instant(p_at timestamp with time zone) → text
--   account_event_record(r accounts) → jsonb
--   contact_event_record(r contacts) → jsonb
--   opportunity_event_record(r opportunities, p_additional_ids uuid[]) → jsonb
--   note_event_record(r notes, p_links jsonb) → jsonb
--   creation_event(p_object text, p_kind text, p_record jsonb) → text
--   deletion_event(p_object text, p_record jsonb) → text
--   change_event(p_object text, p_old jsonb, p_new jsonb) → text
--   erasure_event(p_object text, p_id uuid, p_version integer) → text
-- events.sql
--   collect_events(p_events text[]) → void
--   take_events() → text
--   next_event_position(p_organization_id uuid, p_count integer) → bigint
--   append_events(p_organization_id uuid, p_origin jsonb) → void
--   erase_events(p_organization_id uuid, p_object text, p_id uuid) → void
--   current_timeline() → integer
--   server_identifier() → bigint
--   note_timeline() → void
--   log_id() → text
-- helpers.sql
--   refuse(p_kind text, p_facts jsonb DEFAULT '{}'::jsonb) → void
--   merge_patch(p_values jsonb, p_patch jsonb) → jsonb
--   only_keys(p_values jsonb, p_keys text[]) → jsonb
--   unapplied_values(p_stored jsonb, p_change jsonb) → jsonb
--   new_id(p_at timestamp with time zone) → uuid
--   write_time() → timestamp with time zone
--   check_version(p_found_version integer, p_change jsonb) → void
--   check_key_is_free(p_object text, p_field text, p_holder_id uuid) → void
--   check_create_keys(p_object text, p_found_id uuid, p_key_id uuid, p_has_key boolean) → void
--   found_by(p_key text, p_external_id text, p_set jsonb) → jsonb
--   check_found_key(p_key text, p_external_id text, p_change jsonb) → void
--   check_may_insert(p_locked_ids uuid[]) → void
--   check_locked(p_id uuid, p_locked_ids uuid[]) → void
-- idempotency.sql
--   find_stored_result(p_organization_id uuid, p_idempotency jsonb) → jsonb
--   result_record_ids(p_result jsonb) → uuid[]
--   any_record_id() → uuid
--   store_result(p_organization_id uuid, p_idempotency jsonb, p_result jsonb) → void
--   delete_expired_results(p_organization_id uuid, p_limit integer) → integer
--   delete_results_of_record(p_organization_id uuid, p_record_id uuid) → void
-- locks.sql
--   lock_external_ids(p_organization_id uuid, p_object text, p_external_ids jsonb) → void
--   lock_names(p_organization_id uuid, p_kind text, p_ids uuid[], p_is_exclusive boolean) → void
--   lock_organization_state(p_organization_id uuid, p_state text, p_is_exclusive boolean) → void
--   lock_opportunities(p_organization_id uuid, p_ids uuid[]) → void
--   lock_accounts(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) → void
--   lock_contacts(p_organization_id uuid, p_ids uuid[], p_renamed_ids uuid[]) → void
-- merge.sql
--   check_merge_size(p_limits jsonb, p_object text, p_count bigint) → void
--   note_bytes(p_organization_id uuid, p_ids uuid[]) → bigint
--   check_merge_locks(p_ids uuid[], p_locked_ids uuid[]) → void
--   check_merge_renames(p_renames boolean, p_held boolean) → void
--   filling_change(p_organization_id uuid, p_object text, p_kept jsonb, p_other jsonb, p_columns text[]) → jsonb
--   filled_fields(p_change jsonb) → jsonb
--   merged_event(p_event text) → text
--   moved_note_ids(p_organization_id uuid, p_object text, p_other_id uuid, p_collisions jsonb, p_limits jsonb) → uuid[]
--   colliding_opportunities(p_organization_id uuid, p_ids uuid[], p_old_key text, p_new_key text) → jsonb
--   check_collisions(p_collisions jsonb, p_input jsonb) → void
--   collision_ids(p_collisions jsonb, p_key text) → uuid[]
--   contact_ids_of_opportunities(p_organization_id uuid, p_opportunity_ids uuid[]) → uuid[]
--   merge_ids(p_organization_id uuid, p_opportunity_ids uuid[], p_collisions jsonb) → uuid[]
--   store_merged_opportunity(p_old opportunities, p_new opportunities, p_contact_ids uuid[]) → text
--   filled_opportunity(p_kept opportunities, p_other opportunities) → opportunities
--   merged_opportunity(p_kept opportunities, p_other opportunities, p_from_contact_id uuid, p_to_contact_id uuid) → opportunities
--   merged_contact_ids(p_new opportunities, p_other opportunities, p_contact_limit integer, p_from_contact_id uuid, p_to_contact_id uuid) → uuid[]
--   check_merged_contacts(p_organization_id uuid, p_collisions jsonb, p_contact_limit integer, p_from_contact_id uuid DEFAULT NULL::uuid, p_to_contact_id uuid DEFAULT NULL::uuid) → void
--   merge_opportunity(p_organization_id uuid, p_kept_id uuid, p_other_id uuid, p_contact_limit integer, p_from_contact_id uuid, p_to_contact_id uuid) → text[]
--   merge_opportunities(p_organization_id uuid, p_collisions jsonb, p_contact_limit integer, p_from_contact_id uuid DEFAULT NULL::uuid, p_to_contact_id uuid DEFAULT NULL::uuid) → void
--   note_merged_record(p_organization_id uuid, p_object text, p_id uuid, p_kept_id uuid) → void
--   merge_result(p_input jsonb, p_filled jsonb, p_collisions jsonb, p_contacts integer, p_opportunities integer, p_notes integer) → jsonb
--   check_merged_records(p_kept_version integer, p_other_version integer, p_input jsonb) → void
-- merge_accounts.sql
--   account_merge_plan(p_organization_id uuid, p_input jsonb, OUT contact_ids uuid[], OUT opportunity_ids uuid[], OUT note_ids uuid[], OUT collisions jsonb) → record
--   lock_account_merge(p_organization_id uuid, p_input jsonb, p_renames boolean) → uuid[]
--   move_opportunities_to_account(p_organization_id uuid, p_ids uuid[], p_account_id uuid) → void
--   move_rest_to_account(p_organization_id uuid, p_other accounts, p_account_id uuid) → void
--   fill_account(p_old accounts, p_other_id uuid, p_change jsonb) → void
--   merge_account(p_organization_id uuid, p_input jsonb) → jsonb
-- merge_contacts.sql
--   contact_merge_plan(p_organization_id uuid, p_input jsonb, OUT opportunity_ids uuid[], OUT note_ids uuid[], OUT collisions jsonb) → record
--   lock_contact_merge(p_organization_id uuid, p_input jsonb, p_renames boolean) → uuid[]
--   move_opportunities_to_contact(p_organization_id uuid, p_ids uuid[], p_other_id uuid, p_contact_id uuid) → void
--   move_rest_to_contact(p_organization_id uuid, p_other contacts, p_contact_id uuid) → void
--   fill_contact(p_old contacts, p_other_id uuid, p_change jsonb) → void
--   merge_contact(p_organization_id uuid, p_input jsonb) → jsonb
-- notes.sql
--   lock_note_targets(p_organization_id uuid, p_account_ids uuid[], p_contact_ids uuid[]) → boolean
--   lock_note_opportunities(p_organization_id uuid, p_opportunity_ids uuid[]) → void
--   note_links(p_organization_id uuid, p_note_id uuid) → jsonb
--   note_search_text(p_normalized_title text, p_normalized_content text) → text
--   normalized_note_content(p_note notes) → text
--   create_note(p_organization_id uuid, p_input jsonb) → jsonb
--   touch_note(p_note notes) → notes
--   update_note(p_organization_id uuid, p_input jsonb) → jsonb
--   delete_note(p_organization_id uuid, p_input jsonb) → jsonb
--   note_ids_of_record(p_organization_id uuid, p_object text, p_id uuid, p_limit integer) → uuid[]
--   detach_notes(p_organization_id uuid, p_object text, p_id uuid, p_limit integer) → boolean
--   move_notes(p_organization_id uuid, p_object text, p_from_id uuid, p_to_id uuid) → text[]
-- opportunities.sql
--   insert_opportunity(p_row opportunities, p_additional_ids uuid[]) → opportunities
--   new_opportunity(p_organization_id uuid, p_input jsonb) → opportunities
--   opportunity_id_of_create(p_row opportunities) → uuid
--   check_opportunity_keys(p_row opportunities, p_found_id uuid) → void
--   matched_opportunity_change(p_row opportunities, p_id uuid, p_input jsonb) → jsonb
--   create_opportunity(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_name_ids uuid[] DEFAULT NULL::uuid[]) → jsonb
--   update_opportunity(p_organization_id uuid, p_input jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_name_ids uuid[] DEFAULT NULL::uuid[]) → jsonb
--   delete_opportunity(p_organization_id uuid, p_input jsonb) → jsonb
-- opportunity_changes.sql
--   opportunity_key(p_row opportunities) → text
--   opportunity_id_of_key(p_row opportunities) → uuid
--   opportunities_of_ids(p_organization_id uuid, p_ids uuid[]) → SETOF opportunities
--   changed_opportunity(p_row opportunities, p_change jsonb) → opportunities
--   distinct_contact_ids(p_ids uuid[], p_primary_id uuid) → uuid[]
--   wanted_contact_ids(p_old opportunities, p_new opportunities, p_linked uuid[], p_change jsonb) → uuid[]
--   opportunity_is_changed(p_organization_id uuid, p_id uuid, p_change jsonb) → boolean
--   add_contact_links(p_organization_id uuid, p_opportunity_id uuid, p_contact_ids uuid[]) → void
--   replace_contact_links(p_organization_id uuid, p_opportunity_id uuid, p_contact_ids uuid[]) → void
--   update_opportunity_row(n opportunities) → void
--   changed_key_field(p_old opportunities, p_new opportunities, p_change jsonb) → text
--   apply_opportunity_change(p_organization_id uuid, p_id uuid, p_change jsonb, p_name_ids uuid[]) → boolean
--   claim_opportunity_key(p_row opportunities) → void
--   referenced_ids(p_organization_id uuid, p_change jsonb) → uuid[]
--   change_opportunity(p_organization_id uuid, p_id uuid, p_change jsonb, p_locked_ids uuid[] DEFAULT NULL::uuid[], p_name_ids uuid[] DEFAULT NULL::uuid[]) → boolean
-- opportunity_records.sql
--   additional_contact_ids(p_organization_id uuid, p_opportunity_id uuid) → uuid[]
--   opportunity_record(p_row opportunities, p_additional_ids uuid[]) → text
--   copy_related_texts(p_row opportunities) → opportunities
--   refresh_opportunity_records(p_organization_id uuid, p_opportunity_ids uuid[]) → void
-- restore.sql
--   deleted_record(p_organization_id uuid, p_position bigint, p_object text) → jsonb
--   current_ids(p_organization_id uuid, p_object text, p_ids uuid[]) → uuid[]
--   forget_merge(p_organization_id uuid, p_object text, p_id uuid) → void
--   restore_account(p_organization_id uuid, p_input jsonb) → jsonb
--   lock_existing_contacts(p_organization_id uuid, p_ids uuid[]) → uuid[]
--   restore_opportunity(p_organization_id uuid, p_input jsonb) → jsonb
-- setup.sql
--   opportunity_ids_of_owner(p_organization_id uuid, p_owner_id uuid, p_limit integer) → uuid[]
--   free_slot(p_organization_id uuid, p_object_type text, p_kind text) → text
--   place_field(p_organization_id uuid, p_object_type text, p_id uuid, p_position integer) → void
--   define_field(p_organization_id uuid, p_change jsonb) → void
--   update_field(p_organization_id uuid, p_change jsonb) → void
--   save_member(p_organization_id uuid, p_change jsonb) → void
--   remove_member(p_organization_id uuid, p_change jsonb) → void
--   note_setup_change(p_organization_id uuid, p_change jsonb, p_origin jsonb) → void
--   change_setup(p_organization_id uuid, p_changes jsonb, p_origin jsonb, OUT outdated_at timestamp with time zone, OUT read_mark text) → record
--   end_rebuild(p_organization_id uuid, p_outdated_at timestamp with time zone) → void
-- setup_pipelines.sql
--   opportunity_ids_of_stage(p_organization_id uuid, p_pipeline_id uuid, p_stage_id uuid, p_limit integer) → uuid[]
--   place_pipeline(p_organization_id uuid, p_id uuid, p_position integer) → void
--   place_stage(p_organization_id uuid, p_pipeline_id uuid, p_id uuid, p_position integer) → void
--   save_pipeline(p_organization_id uuid, p_change jsonb) → void
--   check_stage_can_go(p_row stages) → void
--   save_stage(p_organization_id uuid, p_change jsonb) → void
-- write.sql
--   deletes_records(p_function text) → boolean
--   run_write(p_organization_id uuid, p_function text, p_input jsonb) → jsonb
--   read_mark() → text
--   write(p_organization_id uuid, p_function text, p_input jsonb, p_idempotency jsonb, p_origin jsonb DEFAULT NULL::jsonb, OUT result jsonb, OUT replayed boolean, OUT read_mark text) → record
