-- Tables, keys, checks and indexes. The write functions are in packages/db/sql/functions; `crm migrate` installs them after this.
--
-- * Primary keys, unique keys and foreign keys of tenant tables start with organization_id, so that no record can refer to a record of
--   another organization.
-- * Keys and comparison texts have the collation "C", which compares code points. An upgrade of the C library or of ICU can then
--   neither change an answer nor corrupt an index.
-- * CHECK constraints refuse domain labels of more than 63 characters with a separate pattern, which takes 2 µs per written row. A single
--   pattern with [a-z0-9-]{0,61} takes 12 µs.
-- * CHECK constraints call only built-in functions. pg_restore empties search_path, so one of our functions that calls another one would
--   fail there.

CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE EXTENSION IF NOT EXISTS btree_gin;

-- Installations of the write functions. The database has those with the highest number. `digest` is the SHA-256 of their source,
-- `release` the version of the program that installed them.
CREATE TABLE function_versions (
  number integer NOT NULL,
  digest text NOT NULL,
  release text NOT NULL,
  installed_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT function_versions_pkey PRIMARY KEY (number)
);

-- Migrations that some gateways cannot work with. `needs` is the migration that a gateway must know: `migration` itself or an earlier
-- one. `crm migrate` writes a row for each migration.sql with the comment "-- Gateways need: NAME".
CREATE TABLE gateway_requirements (
  migration text NOT NULL,
  needs text NOT NULL,
  CONSTRAINT gateway_requirements_pkey PRIMARY KEY (migration)
);

CREATE TABLE organizations (
  id uuid NOT NULL,
  name text NOT NULL,
  freemail text NOT NULL DEFAULT 'create',
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  limits jsonb NOT NULL DEFAULT '{}',
  currency text,
  setup_version uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT organizations_pkey PRIMARY KEY (id),
  CONSTRAINT organizations_currency_check CHECK (currency ~ '^[A-Z]{3}$'),
  CONSTRAINT organizations_freemail_check CHECK (freemail IN ('create', 'skip'))
);

CREATE TABLE api_keys (
  id uuid NOT NULL,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  prefix text NOT NULL,
  hash bytea NOT NULL,
  allowed_operations text[],
  limits jsonb NOT NULL DEFAULT '{}',
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  replaced_by uuid,
  CONSTRAINT api_keys_pkey PRIMARY KEY (id),
  CONSTRAINT api_keys_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX api_keys_hash_key
  ON api_keys (hash);
CREATE INDEX api_keys_organization_id_idx
  ON api_keys (organization_id);

-- There is no foreign key, because the event of a deleted organization stays.
CREATE TABLE audit_events (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  actor text NOT NULL,
  os_user text,
  command_id uuid NOT NULL,
  action text NOT NULL,
  target text NOT NULL,
  details jsonb NOT NULL DEFAULT '{}',
  CONSTRAINT audit_events_pkey PRIMARY KEY (organization_id, id)
);
CREATE INDEX audit_events_organization_id_created_at_id_idx
  ON audit_events (organization_id, created_at, id);

-- Organizations whose stored opportunity records are outdated after a change of the setup. The row is deleted when they are rebuilt.
CREATE TABLE record_rebuilds (
  organization_id uuid NOT NULL,
  outdated_at timestamptz(3) NOT NULL,
  active_at timestamptz(3) NOT NULL,
  CONSTRAINT record_rebuilds_pkey PRIMARY KEY (organization_id),
  CONSTRAINT record_rebuilds_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);

-- A receiver of webhooks. Its position in the change log moves past delivered, filtered and parked events.
CREATE TABLE webhook_endpoints (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  objects text[] NOT NULL DEFAULT ARRAY[]::text[],
  types text[] NOT NULL DEFAULT ARRAY[]::text[],
  changed text[] NOT NULL DEFAULT ARRAY[]::text[],
  payload text NOT NULL DEFAULT 'full',
  state text NOT NULL DEFAULT 'active',
  state_reason text,
  secret text NOT NULL,
  previous_secret text,
  previous_secret_until timestamptz(3),
  position bigint NOT NULL,
  replay_position bigint,
  replay_until bigint,
  is_test_due boolean NOT NULL DEFAULT false,
  failures integer NOT NULL DEFAULT 0,
  is_failing boolean NOT NULL DEFAULT false,
  failing_since timestamptz(3),
  failed_at timestamptz(3),
  probe_at timestamptz(3),
  wait_until timestamptz(3),
  pace jsonb,
  parked integer NOT NULL DEFAULT 0,
  retry_at timestamptz(3),
  claimed_by uuid,
  claimed_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT webhook_endpoints_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT,
  CONSTRAINT webhook_endpoints_payload_check CHECK (payload IN ('full', 'thin')),
  CONSTRAINT webhook_endpoints_state_check CHECK (state IN ('active', 'paused', 'disabled'))
);

-- A record whose events wait, because the event at `position` was not delivered.
CREATE TABLE webhook_parked (
  organization_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  object text NOT NULL,
  record_id uuid NOT NULL,
  position bigint NOT NULL,
  attempts integer NOT NULL,
  deferrals integer NOT NULL DEFAULT 0,
  retry_at timestamptz(3),
  failed_at timestamptz(3),
  error text,
  CONSTRAINT webhook_parked_pkey PRIMARY KEY (organization_id, endpoint_id, object, record_id),
  CONSTRAINT webhook_parked_organization_id_endpoint_id_fkey FOREIGN KEY (organization_id, endpoint_id)
    REFERENCES webhook_endpoints (organization_id, id) ON DELETE CASCADE
);

CREATE INDEX webhook_parked_organization_id_endpoint_id_retry_at_idx
  ON webhook_parked (organization_id, endpoint_id, retry_at);

-- What a worker did: each failed attempt, and one row for the deliveries of about a minute.
CREATE TABLE webhook_attempts (
  organization_id uuid NOT NULL,
  endpoint_id uuid NOT NULL,
  id uuid NOT NULL,
  outcome text NOT NULL,
  type text,
  object text,
  record_id uuid,
  first_position bigint,
  last_position bigint,
  events integer NOT NULL,
  attempt integer,
  status integer,
  error text,
  response text,
  duration_ms integer,
  occurred_at timestamptz(3) NOT NULL,
  CONSTRAINT webhook_attempts_pkey PRIMARY KEY (organization_id, endpoint_id, id),
  CONSTRAINT webhook_attempts_organization_id_endpoint_id_fkey FOREIGN KEY (organization_id, endpoint_id)
    REFERENCES webhook_endpoints (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT webhook_attempts_outcome_check CHECK (outcome IN ('delivered', 'failed', 'deferred', 'expired', 'skipped'))
);

CREATE INDEX webhook_attempts_organization_id_record_id_idx ON webhook_attempts (organization_id, record_id);

CREATE TABLE members (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_active boolean NOT NULL DEFAULT true,
  CONSTRAINT members_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT members_email_check CHECK (
    length(email) <= 254
    AND strpos(email, '@') <= 65
    AND email ~ '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@([a-z0-9]+(-+[a-z0-9]+)*\.)+[a-z0-9]+(-+[a-z0-9]+)*$'
    AND email !~ '@.*[^.]{64}'),
  CONSTRAINT members_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX members_organization_id_email_key
  ON members (organization_id, email);

CREATE TABLE pipelines (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  comparable_name text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_active boolean NOT NULL DEFAULT true,
  CONSTRAINT pipelines_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT pipelines_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX pipelines_organization_id_comparable_name_key
  ON pipelines (organization_id, comparable_name);

CREATE TABLE stages (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  pipeline_id uuid NOT NULL,
  label text COLLATE "C" NOT NULL,
  comparable_label text COLLATE "C" NOT NULL,
  position integer NOT NULL,
  color text NOT NULL,
  is_active boolean NOT NULL DEFAULT true,
  is_default boolean NOT NULL DEFAULT false,
  probability double precision,
  outcome text NOT NULL DEFAULT 'open',
  CONSTRAINT stages_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT stages_outcome_check CHECK (outcome IN ('open', 'won', 'lost')),
  CONSTRAINT stages_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id)
    REFERENCES pipelines (organization_id, id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX stages_organization_id_pipeline_id_id_key
  ON stages (organization_id, pipeline_id, id);
CREATE UNIQUE INDEX stages_organization_id_pipeline_id_comparable_label_key
  ON stages (organization_id, pipeline_id, comparable_label);

CREATE TABLE custom_fields (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  slug text COLLATE "C" NOT NULL,
  name text NOT NULL,
  attribute_type text NOT NULL,
  metadata jsonb,
  position integer NOT NULL,
  is_hidden boolean NOT NULL DEFAULT false,
  all_pipelines boolean NOT NULL DEFAULT true,
  slot text COLLATE "C",
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  is_active boolean NOT NULL DEFAULT true,
  CONSTRAINT custom_fields_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT custom_fields_object_type_check CHECK (object_type IN ('opportunity', 'account', 'contact')),
  CONSTRAINT custom_fields_slug_check CHECK (
    slug ~ '^[a-z][a-z0-9_]{0,62}$' AND slug NOT IN ('__proto__', 'constructor', 'prototype')),
  CONSTRAINT custom_fields_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX custom_fields_organization_id_object_type_slot_key
  ON custom_fields (organization_id, object_type, slot);
CREATE UNIQUE INDEX custom_fields_organization_id_object_type_slug_key
  ON custom_fields (organization_id, object_type, slug);

CREATE TABLE custom_field_pipelines (
  organization_id uuid NOT NULL,
  custom_field_id uuid NOT NULL,
  pipeline_id uuid NOT NULL,
  CONSTRAINT custom_field_pipelines_pkey PRIMARY KEY (organization_id, custom_field_id, pipeline_id),
  CONSTRAINT custom_field_pipelines_organization_id_custom_field_id_fkey FOREIGN KEY (organization_id, custom_field_id)
    REFERENCES custom_fields (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT custom_field_pipelines_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id)
    REFERENCES pipelines (organization_id, id) ON DELETE RESTRICT
);

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
  custom_fields jsonb NOT NULL DEFAULT '{}',
  normalized jsonb NOT NULL DEFAULT '{}',
  search_text text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  -- Comparison keys of indexed custom fields; custom_fields.slot says which field uses which column.
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
  -- One bit for each empty slot of the record, from 1 for text_1 to 32768 for number_8.
  empty_slots integer NOT NULL DEFAULT 65535,
  CONSTRAINT accounts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT accounts_domain_check CHECK (
    length(domain) <= 253
    AND domain ~ '^([a-z0-9]+(-+[a-z0-9]+)*\.)+[a-z0-9]+(-+[a-z0-9]+)*$'
    AND domain !~ '[^.]{64}'),
  CONSTRAINT accounts_external_id_check CHECK (length(external_id) BETWEEN 1 AND 255),
  CONSTRAINT accounts_name_check CHECK (length(name) BETWEEN 1 AND 255),
  CONSTRAINT accounts_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE INDEX accounts_employee_range_idx
  ON accounts (organization_id, left((normalized->>'employee_range') COLLATE "C", 200), created_at, id);
CREATE UNIQUE INDEX accounts_external_id_key
  ON accounts (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX accounts_industry_idx
  ON accounts (organization_id, left((normalized->>'industry') COLLATE "C", 200), created_at, id);
CREATE INDEX accounts_is_freemail_idx
  ON accounts (organization_id, is_freemail, created_at, id);
CREATE INDEX accounts_name_idx
  ON accounts (organization_id, left(normalized_name, 200), created_at, id);
CREATE INDEX accounts_organization_id_created_at_id_idx
  ON accounts (organization_id, created_at, id);
CREATE UNIQUE INDEX accounts_organization_id_domain_key
  ON accounts (organization_id, domain);
CREATE INDEX accounts_organization_id_updated_at_created_at_id_idx
  ON accounts (organization_id, updated_at, created_at, id);
CREATE INDEX accounts_search_idx
  ON accounts USING gin (organization_id, search_text gin_trgm_ops);
-- Names in which punctuation equals a space, to find duplicates.
CREATE INDEX accounts_spaced_name_idx
  ON accounts (organization_id, btrim(regexp_replace(normalized_name, '[\s!-/:-@[-`{-~\u2010-\u201f]+', ' ', 'g')), created_at, id);
CREATE INDEX accounts_website_idx
  ON accounts (organization_id, left((normalized->>'website') COLLATE "C", 200), created_at, id);

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
  custom_fields jsonb NOT NULL DEFAULT '{}',
  normalized jsonb NOT NULL DEFAULT '{}',
  search_text text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  -- Comparison keys of indexed custom fields; custom_fields.slot says which field uses which column.
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
  -- One bit for each empty slot of the record, from 1 for text_1 to 32768 for number_8.
  empty_slots integer NOT NULL DEFAULT 65535,
  CONSTRAINT contacts_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT contacts_email_check CHECK (
    length(email) <= 254
    AND strpos(email, '@') <= 65
    AND email ~ '^[a-z0-9!#$%&''*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&''*+/=?^_`{|}~-]+)*@([a-z0-9]+(-+[a-z0-9]+)*\.)+[a-z0-9]+(-+[a-z0-9]+)*$'
    AND email !~ '@.*[^.]{64}'),
  CONSTRAINT contacts_external_id_check CHECK (length(external_id) BETWEEN 1 AND 255),
  CONSTRAINT contacts_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id)
    REFERENCES accounts (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT contacts_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE UNIQUE INDEX contacts_external_id_key
  ON contacts (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX contacts_first_name_idx
  ON contacts (organization_id, left((normalized->>'first_name') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_job_title_idx
  ON contacts (organization_id, left((normalized->>'job_title') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_last_name_idx
  ON contacts (organization_id, left((normalized->>'last_name') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_name_idx
  ON contacts (organization_id, left(normalized_name, 200), created_at, id);
CREATE INDEX contacts_organization_id_account_id_created_at_id_idx
  ON contacts (organization_id, account_id, created_at, id);
CREATE INDEX contacts_organization_id_created_at_id_idx
  ON contacts (organization_id, created_at, id);
CREATE UNIQUE INDEX contacts_organization_id_email_key
  ON contacts (organization_id, email);
CREATE INDEX contacts_organization_id_updated_at_created_at_id_idx
  ON contacts (organization_id, updated_at, created_at, id);
CREATE INDEX contacts_phone_idx
  ON contacts (organization_id, left((normalized->>'phone') COLLATE "C", 200), created_at, id);
CREATE INDEX contacts_search_idx
  ON contacts USING gin (organization_id, search_text gin_trgm_ops);

CREATE TABLE opportunities (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  pipeline_id uuid NOT NULL,
  account_key text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  normalized_name text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  stage_id uuid,
  -- The stay in the current stage. Those before are in stage_visits.
  stage_entered_at timestamptz(3),
  stage_api_key_id uuid,
  closed_at timestamptz(3),
  account_id uuid,
  contact_id uuid,
  owner_id uuid,
  amount numeric(19,4),
  currency text,
  close_date bigint,
  next_action_date bigint,
  next_step text,
  record text NOT NULL,
  custom_fields jsonb NOT NULL DEFAULT '{}',
  normalized jsonb NOT NULL DEFAULT '{}',
  search_text text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  account_domain text COLLATE "C",
  account_name_key text COLLATE "C",
  contact_email text COLLATE "C",
  contact_first_name_key text COLLATE "C",
  contact_last_name_key text COLLATE "C",
  -- Comparison keys of indexed custom fields; custom_fields.slot says which field uses which column.
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
  -- One bit for each empty slot of the record, from 1 for text_1 to 32768 for number_8.
  empty_slots integer NOT NULL DEFAULT 65535,
  CONSTRAINT opportunities_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT opportunities_amount_check CHECK (abs(amount) < 1e15),
  CONSTRAINT opportunities_close_date_check CHECK (close_date <= 253402300799999),
  CONSTRAINT opportunities_external_id_check CHECK (length(external_id) BETWEEN 1 AND 255),
  CONSTRAINT opportunities_name_check CHECK (length(name) BETWEEN 1 AND 255 AND name = btrim(name)),
  CONSTRAINT opportunities_next_action_date_check CHECK (next_action_date <= 253402300799999),
  CONSTRAINT opportunities_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id)
    REFERENCES accounts (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id)
    REFERENCES contacts (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_owner_id_fkey FOREIGN KEY (organization_id, owner_id)
    REFERENCES members (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_pipeline_id_fkey FOREIGN KEY (organization_id, pipeline_id)
    REFERENCES pipelines (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunities_organization_id_pipeline_id_stage_id_fkey FOREIGN KEY (organization_id, pipeline_id, stage_id)
    REFERENCES stages (organization_id, pipeline_id, id) ON DELETE RESTRICT
);
CREATE INDEX opportunities_account_domain_idx
  ON opportunities (organization_id, pipeline_id, account_domain, created_at, id);
CREATE INDEX opportunities_account_name_idx
  ON opportunities (organization_id, pipeline_id, account_name_key, created_at, id);
CREATE INDEX opportunities_closed_at_idx
  ON opportunities (organization_id, pipeline_id, closed_at, created_at, id);
CREATE INDEX opportunities_contact_email_idx
  ON opportunities (organization_id, pipeline_id, contact_email, created_at, id);
CREATE INDEX opportunities_contact_first_name_idx
  ON opportunities (organization_id, pipeline_id, contact_first_name_key, created_at, id);
CREATE INDEX opportunities_contact_last_name_idx
  ON opportunities (organization_id, pipeline_id, contact_last_name_key, created_at, id);
CREATE UNIQUE INDEX opportunities_external_id_key
  ON opportunities (organization_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX opportunities_name_idx
  ON opportunities (organization_id, pipeline_id, left(normalized_name, 200), created_at, id);
CREATE INDEX opportunities_organization_id_account_id_pipeline_id_create_idx
  ON opportunities (organization_id, account_id, pipeline_id, created_at, id);
CREATE INDEX opportunities_organization_id_contact_id_pipeline_id_create_idx
  ON opportunities (organization_id, contact_id, pipeline_id, created_at, id);
CREATE UNIQUE INDEX opportunities_organization_id_pipeline_id_account_key_name_key
  ON opportunities (organization_id, pipeline_id, account_key, name);
CREATE INDEX opportunities_organization_id_pipeline_id_amount_created_at_idx
  ON opportunities (organization_id, pipeline_id, amount, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_close_date_create_idx
  ON opportunities (organization_id, pipeline_id, close_date, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_created_at_id_idx
  ON opportunities (organization_id, pipeline_id, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_next_action_date__idx
  ON opportunities (organization_id, pipeline_id, next_action_date, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_owner_id_created__idx
  ON opportunities (organization_id, pipeline_id, owner_id, created_at, id);
CREATE INDEX opportunities_organization_id_pipeline_id_stage_id_created__idx
  ON opportunities (organization_id, pipeline_id, stage_id, created_at, id) INCLUDE (amount, currency);
CREATE INDEX opportunities_organization_id_pipeline_id_updated_at_create_idx
  ON opportunities (organization_id, pipeline_id, updated_at, created_at, id);
CREATE INDEX opportunities_owner_id_changed_idx
  ON opportunities (organization_id, pipeline_id, owner_id, updated_at, created_at, id);
CREATE INDEX opportunities_search_idx
  ON opportunities USING gin (organization_id, pipeline_id, search_text gin_trgm_ops);
CREATE INDEX opportunities_stage_entered_at_idx
  ON opportunities (organization_id, pipeline_id, stage_entered_at, created_at, id);
CREATE INDEX opportunities_stage_id_changed_idx
  ON opportunities (organization_id, pipeline_id, stage_id, updated_at, created_at, id);
CREATE INDEX opportunities_stage_id_entered_idx
  ON opportunities (organization_id, pipeline_id, stage_id, stage_entered_at, created_at, id);
-- Shows the planner that a pipeline belongs to one organization. Otherwise it multiplies the selectivities of both columns and expects
-- one row from every index that begins with them. It may then look up a natural key by reading a whole pipeline.
CREATE STATISTICS opportunities_pipelines (dependencies)
  ON organization_id, pipeline_id FROM opportunities;

CREATE TABLE opportunity_contacts (
  organization_id uuid NOT NULL,
  opportunity_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  position integer NOT NULL,
  CONSTRAINT opportunity_contacts_pkey PRIMARY KEY (organization_id, opportunity_id, contact_id),
  CONSTRAINT opportunity_contacts_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id)
    REFERENCES contacts (organization_id, id) ON DELETE RESTRICT,
  CONSTRAINT opportunity_contacts_organization_id_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id)
    REFERENCES opportunities (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX opportunity_contacts_organization_id_contact_id_idx
  ON opportunity_contacts (organization_id, contact_id);

-- The earlier stays of opportunities in stages, in the order of `place`. The current one is in the row of the opportunity. There is no
-- foreign key to stages, because a stage that opportunities have left can be deleted.
CREATE TABLE stage_visits (
  organization_id uuid NOT NULL,
  opportunity_id uuid NOT NULL,
  place integer NOT NULL,
  stage_id uuid NOT NULL,
  entered_at timestamptz(3) NOT NULL,
  left_at timestamptz(3) NOT NULL,
  api_key_id uuid,
  next_stage_id uuid,
  CONSTRAINT stage_visits_pkey PRIMARY KEY (organization_id, opportunity_id, place),
  CONSTRAINT stage_visits_organization_id_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id)
    REFERENCES opportunities (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX stage_visits_stage_id_idx
  ON stage_visits (organization_id, stage_id, entered_at) INCLUDE (left_at, next_stage_id);

CREATE TABLE notes (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  title text,
  content text,
  normalized_title text COLLATE "C",
  search_text text COLLATE "C" NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  version integer NOT NULL DEFAULT 1,
  CONSTRAINT notes_pkey PRIMARY KEY (organization_id, id),
  CONSTRAINT notes_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE INDEX notes_search_idx
  ON notes USING gin (organization_id, search_text gin_trgm_ops);

CREATE TABLE note_accounts (
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL,
  account_id uuid NOT NULL,
  CONSTRAINT note_accounts_pkey PRIMARY KEY (organization_id, note_id, account_id),
  CONSTRAINT note_accounts_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id)
    REFERENCES accounts (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT note_accounts_organization_id_note_id_fkey FOREIGN KEY (organization_id, note_id)
    REFERENCES notes (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_accounts_organization_id_account_id_note_id_idx
  ON note_accounts (organization_id, account_id, note_id);

CREATE TABLE note_contacts (
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL,
  contact_id uuid NOT NULL,
  CONSTRAINT note_contacts_pkey PRIMARY KEY (organization_id, note_id, contact_id),
  CONSTRAINT note_contacts_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id)
    REFERENCES contacts (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT note_contacts_organization_id_note_id_fkey FOREIGN KEY (organization_id, note_id)
    REFERENCES notes (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_contacts_organization_id_contact_id_note_id_idx
  ON note_contacts (organization_id, contact_id, note_id);

CREATE TABLE note_opportunities (
  organization_id uuid NOT NULL,
  note_id uuid NOT NULL,
  opportunity_id uuid NOT NULL,
  CONSTRAINT note_opportunities_pkey PRIMARY KEY (organization_id, note_id, opportunity_id),
  CONSTRAINT note_opportunities_organization_id_note_id_fkey FOREIGN KEY (organization_id, note_id)
    REFERENCES notes (organization_id, id) ON DELETE CASCADE,
  CONSTRAINT note_opportunities_organization_id_opportunity_id_fkey FOREIGN KEY (organization_id, opportunity_id)
    REFERENCES opportunities (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX note_opportunities_organization_id_opportunity_id_note_id_idx
  ON note_opportunities (organization_id, opportunity_id, note_id);

-- Domains and emails of records that were merged into others. They refer to the kept record. aliases.sql ensures that no alias is also
-- the domain or email of an existing record.
CREATE TABLE account_aliases (
  organization_id uuid NOT NULL,
  domain text COLLATE "C" NOT NULL,
  account_id uuid NOT NULL,
  CONSTRAINT account_aliases_pkey PRIMARY KEY (organization_id, domain),
  CONSTRAINT account_aliases_organization_id_account_id_fkey FOREIGN KEY (organization_id, account_id)
    REFERENCES accounts (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX account_aliases_organization_id_account_id_idx
  ON account_aliases (organization_id, account_id);

CREATE TABLE contact_aliases (
  organization_id uuid NOT NULL,
  email text COLLATE "C" NOT NULL,
  contact_id uuid NOT NULL,
  CONSTRAINT contact_aliases_pkey PRIMARY KEY (organization_id, email),
  CONSTRAINT contact_aliases_organization_id_contact_id_fkey FOREIGN KEY (organization_id, contact_id)
    REFERENCES contacts (organization_id, id) ON DELETE CASCADE
);
CREATE INDEX contact_aliases_organization_id_contact_id_idx
  ON contact_aliases (organization_id, contact_id);

-- Merged records, which no longer exist, and the records that they were merged into.
CREATE TABLE merged_records (
  organization_id uuid NOT NULL,
  object_type text COLLATE "C" NOT NULL,
  id uuid NOT NULL,
  merged_into uuid NOT NULL,
  CONSTRAINT merged_records_pkey PRIMARY KEY (organization_id, object_type, id),
  CONSTRAINT merged_records_object_type_check CHECK (object_type IN ('opportunity', 'account', 'contact')),
  CONSTRAINT merged_records_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE INDEX merged_records_organization_id_object_type_merged_into_idx
  ON merged_records (organization_id, object_type, merged_into);

CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL,
  operation text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  request_hash text NOT NULL,
  result jsonb NOT NULL,
  -- The records whose values the result contains. Deleting one of them deletes the result. The nil UUID stands for any record.
  record_ids uuid[] NOT NULL DEFAULT ARRAY[]::uuid[],
  expires_at timestamptz(3) NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (organization_id, operation, key),
  CONSTRAINT idempotency_keys_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
);
CREATE INDEX idempotency_keys_organization_id_expires_at_idx
  ON idempotency_keys (organization_id, expires_at);

CREATE INDEX idempotency_keys_record_ids_idx
  ON idempotency_keys USING gin (organization_id, record_ids);

-- The last position in each organization's change log, the oldest retained one, and the bytes of all events until now. A write locks the row as its last lock and holds it
-- until it commits. So positions follow the order of commits, and an aborted write leaves no gap. The changing columns are in no index,
-- and the fill factor leaves room for new row versions, so that updates stay on their page (HOT).
CREATE TABLE event_heads (
  organization_id uuid NOT NULL,
  position bigint NOT NULL,
  oldest_position bigint NOT NULL,
  bytes bigint NOT NULL,
  occurred_at timestamptz(3) NOT NULL DEFAULT '-infinity',
  CONSTRAINT event_heads_pkey PRIMARY KEY (organization_id),
  CONSTRAINT event_heads_organization_id_fkey FOREIGN KEY (organization_id)
    REFERENCES organizations (id) ON DELETE RESTRICT
) WITH (fillfactor = 20);

-- The change log. event_heads makes `position` unique per organization; the primary key alone does not, because it must include the
-- partition column. There is no foreign key, because dropping a partition would then lock the referenced table.
CREATE TABLE events (
  organization_id uuid NOT NULL,
  position bigint NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  id uuid NOT NULL,
  type text COLLATE "C" NOT NULL,
  object text COLLATE "C" NOT NULL,
  record_id uuid NOT NULL,
  version integer NOT NULL,
  request_id text,
  api_key_id uuid,
  traceparent text,
  record jsonb,
  previous jsonb,
  changed text[] NOT NULL DEFAULT ARRAY[]::text[],
  merged_with uuid,
  is_erased boolean NOT NULL DEFAULT false,
  base_position bigint,
  bytes integer NOT NULL,
  visits jsonb,
  CONSTRAINT events_pkey PRIMARY KEY (organization_id, position, occurred_at)
) PARTITION BY RANGE (occurred_at);
CREATE INDEX events_organization_id_object_record_id_position_idx
  ON events (organization_id, object, record_id, position);

-- Weekly partitions are created ahead of time (event_partitions.sql). This one takes all other events, so that no write fails because of
-- a missing partition or a wrong clock.
CREATE TABLE events_default PARTITION OF events DEFAULT;

-- No statistics of values, which would outlive an erasure. No query compares them.
ALTER TABLE events ALTER record SET STATISTICS 0, ALTER previous SET STATISTICS 0, ALTER visits SET STATISTICS 0;

-- The timelines of PostgreSQL on which events were written. A promotion or a recovery begins a new timeline. Its first write adds a row,
-- which replicas receive together with the events of that timeline. A restored dump also contains the rows of another server.
CREATE TABLE event_timelines (
  system_identifier bigint NOT NULL,
  timeline integer NOT NULL,
  began_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  CONSTRAINT event_timelines_pkey PRIMARY KEY (system_identifier, timeline)
);

-- Indexes of custom fields. Each slot has two: records with the same value are in created_at order in one and in updated_at order in the
-- other. Both contain only records with a value, so an unused slot has no entries.
--
-- Records without a value come last in every sort; the index on empty slots finds them. Records with the same bits are in created_at order.
DO $$
DECLARE
  v_table text;
  v_scope text;
  v_slot text;
BEGIN
  FOREACH v_table IN ARRAY '{accounts,contacts,opportunities}'::text[] LOOP
    v_scope := 'organization_id' || CASE v_table WHEN 'opportunities' THEN ', pipeline_id' ELSE '' END;
    FOR v_bit IN 0..15 LOOP
      v_slot := CASE WHEN v_bit < 8 THEN 'text_' ELSE 'number_' END || v_bit % 8 + 1;
      EXECUTE format(
        'CREATE INDEX %1$s_%2$s_idx ON %1$s (%3$s, %2$s, created_at, id) WHERE %2$s IS NOT NULL', v_table, v_slot, v_scope);
      EXECUTE format(
        'CREATE INDEX %1$s_%2$s_changed_idx ON %1$s (%3$s, %2$s, updated_at, created_at, id) WHERE %2$s IS NOT NULL', v_table, v_slot, v_scope);
    END LOOP;
    EXECUTE format('CREATE INDEX %1$s_empty_slots_idx ON %1$s (%2$s, empty_slots, created_at, id)', v_table, v_scope);
  END LOOP;
END
$$;

-- Statistics for a new database. Without statistics, the planner expects one record per organization. Every index that starts with
-- organization_id then looks as good as the index that leads to a single record. Sessions cache such plans until autovacuum has run, and
-- each lookup reads all records of an organization.
--
-- So each table is analyzed once while it has 40 rows, which are then deleted. This counts as 80 changes. With a threshold of 100,
-- autovacuum does not analyze the empty tables.
DO $$
DECLARE
  v_ids constant uuid[] := ARRAY(SELECT gen_random_uuid() FROM generate_series(1, 40));
  -- Four rows per page, because the planner prefers to read a table with few pages as a whole.
  v_wide constant text := repeat('x', 1800);
  v_tables constant text[] := '{notes,opportunities,contacts,accounts}';
  v_table text;
BEGIN
  -- One record per organization. One organization with all records would be a most common value of the statistics.
  INSERT INTO organizations (id, name) SELECT i, 'statistics' FROM unnest(v_ids) i;
  INSERT INTO pipelines (organization_id, id, name, comparable_name, position) SELECT i, i, 'Sales', 'sales', 1 FROM unnest(v_ids) i;
  INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
    SELECT i, i, 'acme.example', v_wide, now(), now() FROM unnest(v_ids) i;
  INSERT INTO contacts (organization_id, id, email, search_text, created_at, updated_at)
    SELECT i, i, 'ann@acme.example', v_wide, now(), now() FROM unnest(v_ids) i;
  INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, record, search_text, created_at, updated_at)
    SELECT i, i, i, '', 'Deal', 'deal', '{}', v_wide, now(), now() FROM unnest(v_ids) i;
  INSERT INTO notes (organization_id, id, search_text, created_at, updated_at) SELECT i, i, v_wide, now(), now() FROM unnest(v_ids) i;
  FOREACH v_table IN ARRAY v_tables LOOP
    -- ANALYZE stores an estimate of three records per organization.
    EXECUTE format('ALTER TABLE %I ALTER organization_id SET (n_distinct = -0.33)', v_table);
    EXECUTE format('ANALYZE %I (organization_id)', v_table);
    EXECUTE format('ALTER TABLE %I ALTER organization_id RESET (n_distinct)', v_table);
    EXECUTE format('ALTER TABLE %I SET (autovacuum_analyze_threshold = 100)', v_table);
  END LOOP;
  FOREACH v_table IN ARRAY v_tables || '{pipelines}'::text[] LOOP
    EXECUTE format('DELETE FROM %I WHERE organization_id = ANY ($1)', v_table) USING v_ids;
  END LOOP;
  DELETE FROM organizations WHERE id = ANY (v_ids);
END
$$;
