-- CreateTable
CREATE TABLE "organizations" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "freemail" TEXT NOT NULL DEFAULT 'create',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "organizations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" UUID NOT NULL,
    "organization_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "allowed_operations" TEXT[],
    "limits" JSONB NOT NULL DEFAULT '{}',
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "members" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "members_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "pipelines" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "pipelines_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "stages" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pipeline_id" UUID NOT NULL,
    "label" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "color" TEXT NOT NULL,
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "is_default" BOOLEAN NOT NULL DEFAULT false,
    "probability" DOUBLE PRECISION,

    CONSTRAINT "stages_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "custom_fields" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "object_type" TEXT NOT NULL,
    "slug" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "attribute_type" TEXT NOT NULL,
    "metadata" JSONB,
    "position" INTEGER NOT NULL,
    "is_hidden" BOOLEAN NOT NULL DEFAULT false,
    "all_pipelines" BOOLEAN NOT NULL DEFAULT true,
    "slot" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "custom_fields_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "custom_field_pipelines" (
    "organization_id" UUID NOT NULL,
    "custom_field_id" UUID NOT NULL,
    "pipeline_id" UUID NOT NULL,

    CONSTRAINT "custom_field_pipelines_pkey" PRIMARY KEY ("organization_id","custom_field_id","pipeline_id")
);

-- CreateTable
CREATE TABLE "accounts" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "domain" TEXT NOT NULL,
    "name" TEXT,
    "name_fold" TEXT,
    "industry" TEXT,
    "description" TEXT,
    "website" TEXT,
    "employee_range" TEXT,
    "is_freemail" BOOLEAN NOT NULL DEFAULT false,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "folds" JSONB NOT NULL DEFAULT '{}',
    "search_text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "text_1" TEXT,
    "text_2" TEXT,
    "text_3" TEXT,
    "text_4" TEXT,
    "text_5" TEXT,
    "text_6" TEXT,
    "text_7" TEXT,
    "text_8" TEXT,
    "number_1" DOUBLE PRECISION,
    "number_2" DOUBLE PRECISION,
    "number_3" DOUBLE PRECISION,
    "number_4" DOUBLE PRECISION,
    "number_5" DOUBLE PRECISION,
    "number_6" DOUBLE PRECISION,
    "number_7" DOUBLE PRECISION,
    "number_8" DOUBLE PRECISION,

    CONSTRAINT "accounts_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "contacts" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT,
    "last_name" TEXT,
    "name_fold" TEXT,
    "account_id" UUID,
    "job_title" TEXT,
    "phone" TEXT,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "folds" JSONB NOT NULL DEFAULT '{}',
    "search_text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "text_1" TEXT,
    "text_2" TEXT,
    "text_3" TEXT,
    "text_4" TEXT,
    "text_5" TEXT,
    "text_6" TEXT,
    "text_7" TEXT,
    "text_8" TEXT,
    "number_1" DOUBLE PRECISION,
    "number_2" DOUBLE PRECISION,
    "number_3" DOUBLE PRECISION,
    "number_4" DOUBLE PRECISION,
    "number_5" DOUBLE PRECISION,
    "number_6" DOUBLE PRECISION,
    "number_7" DOUBLE PRECISION,
    "number_8" DOUBLE PRECISION,

    CONSTRAINT "contacts_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "opportunities" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "pipeline_id" UUID NOT NULL,
    "account_key" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "name_fold" TEXT NOT NULL,
    "stage_id" UUID,
    "account_id" UUID,
    "contact_id" UUID,
    "owner_id" UUID,
    "amount" DECIMAL(19,4),
    "currency" TEXT,
    "close_date" BIGINT,
    "next_action_date" BIGINT,
    "next_step" TEXT,
    "record" TEXT NOT NULL,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "folds" JSONB NOT NULL DEFAULT '{}',
    "search_text" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "text_1" TEXT,
    "text_2" TEXT,
    "text_3" TEXT,
    "text_4" TEXT,
    "text_5" TEXT,
    "text_6" TEXT,
    "text_7" TEXT,
    "text_8" TEXT,
    "number_1" DOUBLE PRECISION,
    "number_2" DOUBLE PRECISION,
    "number_3" DOUBLE PRECISION,
    "number_4" DOUBLE PRECISION,
    "number_5" DOUBLE PRECISION,
    "number_6" DOUBLE PRECISION,
    "number_7" DOUBLE PRECISION,
    "number_8" DOUBLE PRECISION,

    CONSTRAINT "opportunities_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "opportunity_contacts" (
    "organization_id" UUID NOT NULL,
    "opportunity_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "opportunity_contacts_pkey" PRIMARY KEY ("organization_id","opportunity_id","contact_id")
);

-- CreateTable
CREATE TABLE "notes" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "title" TEXT,
    "content" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "notes_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateTable
CREATE TABLE "note_accounts" (
    "organization_id" UUID NOT NULL,
    "note_id" UUID NOT NULL,
    "account_id" UUID NOT NULL,

    CONSTRAINT "note_accounts_pkey" PRIMARY KEY ("organization_id","note_id","account_id")
);

-- CreateTable
CREATE TABLE "note_contacts" (
    "organization_id" UUID NOT NULL,
    "note_id" UUID NOT NULL,
    "contact_id" UUID NOT NULL,

    CONSTRAINT "note_contacts_pkey" PRIMARY KEY ("organization_id","note_id","contact_id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "organization_id" UUID NOT NULL,
    "operation" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" TEXT NOT NULL,
    "result" JSONB NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("organization_id","operation","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys"("hash");

-- CreateIndex
CREATE INDEX "api_keys_organization_id_idx" ON "api_keys"("organization_id");

-- CreateIndex
CREATE UNIQUE INDEX "members_organization_id_email_key" ON "members"("organization_id", "email");

-- CreateIndex
CREATE UNIQUE INDEX "pipelines_organization_id_name_key" ON "pipelines"("organization_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "stages_organization_id_pipeline_id_id_key" ON "stages"("organization_id", "pipeline_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "stages_organization_id_pipeline_id_label_key" ON "stages"("organization_id", "pipeline_id", "label");

-- CreateIndex
CREATE UNIQUE INDEX "custom_fields_organization_id_object_type_slug_key" ON "custom_fields"("organization_id", "object_type", "slug");

-- CreateIndex
CREATE UNIQUE INDEX "custom_fields_organization_id_object_type_slot_key" ON "custom_fields"("organization_id", "object_type", "slot");

-- CreateIndex
CREATE INDEX "accounts_organization_id_created_at_id_idx" ON "accounts"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "accounts_organization_id_updated_at_created_at_id_idx" ON "accounts"("organization_id", "updated_at", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "accounts_organization_id_domain_key" ON "accounts"("organization_id", "domain");

-- CreateIndex
CREATE INDEX "contacts_organization_id_created_at_id_idx" ON "contacts"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "contacts_organization_id_updated_at_created_at_id_idx" ON "contacts"("organization_id", "updated_at", "created_at", "id");

-- CreateIndex
CREATE INDEX "contacts_organization_id_account_id_created_at_id_idx" ON "contacts"("organization_id", "account_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "contacts_organization_id_email_key" ON "contacts"("organization_id", "email");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_created_at_id_idx" ON "opportunities"("organization_id", "pipeline_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_updated_at_create_idx" ON "opportunities"("organization_id", "pipeline_id", "updated_at", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_stage_id_created__idx" ON "opportunities"("organization_id", "pipeline_id", "stage_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_owner_id_created__idx" ON "opportunities"("organization_id", "pipeline_id", "owner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_amount_created_at_idx" ON "opportunities"("organization_id", "pipeline_id", "amount", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_close_date_create_idx" ON "opportunities"("organization_id", "pipeline_id", "close_date", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_pipeline_id_next_action_date__idx" ON "opportunities"("organization_id", "pipeline_id", "next_action_date", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_account_id_pipeline_id_create_idx" ON "opportunities"("organization_id", "account_id", "pipeline_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "opportunities_organization_id_contact_id_pipeline_id_create_idx" ON "opportunities"("organization_id", "contact_id", "pipeline_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "opportunities_organization_id_pipeline_id_account_key_name_key" ON "opportunities"("organization_id", "pipeline_id", "account_key", "name");

-- CreateIndex
CREATE INDEX "opportunity_contacts_organization_id_contact_id_idx" ON "opportunity_contacts"("organization_id", "contact_id");

-- CreateIndex
CREATE INDEX "notes_organization_id_created_at_id_idx" ON "notes"("organization_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "note_accounts_organization_id_account_id_note_id_idx" ON "note_accounts"("organization_id", "account_id", "note_id");

-- CreateIndex
CREATE INDEX "note_contacts_organization_id_contact_id_note_id_idx" ON "note_contacts"("organization_id", "contact_id", "note_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_organization_id_expires_at_idx" ON "idempotency_keys"("organization_id", "expires_at");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "members" ADD CONSTRAINT "members_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "pipelines" ADD CONSTRAINT "pipelines_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "stages" ADD CONSTRAINT "stages_organization_id_pipeline_id_fkey" FOREIGN KEY ("organization_id", "pipeline_id") REFERENCES "pipelines"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_fields" ADD CONSTRAINT "custom_fields_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_field_pipelines" ADD CONSTRAINT "custom_field_pipelines_organization_id_custom_field_id_fkey" FOREIGN KEY ("organization_id", "custom_field_id") REFERENCES "custom_fields"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "custom_field_pipelines" ADD CONSTRAINT "custom_field_pipelines_organization_id_pipeline_id_fkey" FOREIGN KEY ("organization_id", "pipeline_id") REFERENCES "pipelines"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "contacts" ADD CONSTRAINT "contacts_organization_id_account_id_fkey" FOREIGN KEY ("organization_id", "account_id") REFERENCES "accounts"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_organization_id_pipeline_id_fkey" FOREIGN KEY ("organization_id", "pipeline_id") REFERENCES "pipelines"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_organization_id_pipeline_id_stage_id_fkey" FOREIGN KEY ("organization_id", "pipeline_id", "stage_id") REFERENCES "stages"("organization_id", "pipeline_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_organization_id_account_id_fkey" FOREIGN KEY ("organization_id", "account_id") REFERENCES "accounts"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contacts"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunities" ADD CONSTRAINT "opportunities_organization_id_owner_id_fkey" FOREIGN KEY ("organization_id", "owner_id") REFERENCES "members"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunity_contacts" ADD CONSTRAINT "opportunity_contacts_organization_id_opportunity_id_fkey" FOREIGN KEY ("organization_id", "opportunity_id") REFERENCES "opportunities"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "opportunity_contacts" ADD CONSTRAINT "opportunity_contacts_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contacts"("organization_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "notes" ADD CONSTRAINT "notes_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "note_accounts" ADD CONSTRAINT "note_accounts_organization_id_note_id_fkey" FOREIGN KEY ("organization_id", "note_id") REFERENCES "notes"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "note_accounts" ADD CONSTRAINT "note_accounts_organization_id_account_id_fkey" FOREIGN KEY ("organization_id", "account_id") REFERENCES "accounts"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "note_contacts" ADD CONSTRAINT "note_contacts_organization_id_note_id_fkey" FOREIGN KEY ("organization_id", "note_id") REFERENCES "notes"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "note_contacts" ADD CONSTRAINT "note_contacts_organization_id_contact_id_fkey" FOREIGN KEY ("organization_id", "contact_id") REFERENCES "contacts"("organization_id", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
