-- Limits of an organization's own, keys that follow each other, and the trail of what administration did.

ALTER TABLE "organizations" ADD COLUMN "limits" JSONB NOT NULL DEFAULT '{}';

ALTER TABLE "api_keys" ADD COLUMN "replaced_by" UUID;

-- CreateTable
CREATE TABLE "audit_events" (
    "organization_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "actor" TEXT NOT NULL,
    "os_user" TEXT,
    "command_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("organization_id","id")
);

-- CreateIndex
CREATE INDEX "audit_events_organization_id_created_at_id_idx" ON "audit_events"("organization_id", "created_at", "id");

-- AddForeignKey
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_organization_id_fkey" FOREIGN KEY ("organization_id") REFERENCES "organizations"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
