/** The kinds of processes. Each has its own role. */
export const gatewayKinds = ['read', 'inbound', 'webhooks'] as const;

/** One of {@link gatewayKinds}. */
export type GatewayKind = (typeof gatewayKinds)[number];

/** A privilege of a role on a table or on one of its columns. */
export interface Right {
  readonly table: string;
  readonly privilege: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';
  readonly column?: string;
}

type Privileges = readonly Right['privilege'][];

const select: Privileges = ['SELECT'];
const all: Privileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
/** For tables whose rows are archived or changed, and never deleted by a gateway. */
const allButDelete: Privileges = ['SELECT', 'INSERT', 'UPDATE'];
const selectAndUpdate: Privileges = ['SELECT', 'UPDATE'];
const selectAndInsert: Privileges = ['SELECT', 'INSERT'];
/** For the audit trail, which cannot be read or changed through a gateway. */
const insertOnly: Privileges = ['INSERT'];
const none: Privileges = [];

/** Every table, with the privileges of the read gateway, the inbound gateway and the webhook worker (by default none). */
const tables: Readonly<Record<string, readonly [read: Privileges, inbound: Privileges, webhooks?: Privileges]>> = {
  _prisma_migrations: [select, select, select],
  function_versions: [select, select, select],
  gateway_requirements: [select, select, select],
  organizations: [select, select],
  api_keys: [select, select],
  members: [select, all],
  pipelines: [select, allButDelete],
  stages: [select, all],
  custom_fields: [select, all],
  custom_field_pipelines: [select, [...selectAndInsert, 'DELETE']],
  accounts: [select, all],
  contacts: [select, all],
  opportunities: [select, all],
  opportunity_contacts: [select, all],
  stage_visits: [select, all],
  notes: [select, all],
  note_accounts: [select, all],
  note_contacts: [select, all],
  note_opportunities: [select, all],
  account_aliases: [select, all],
  contact_aliases: [select, all],
  merged_records: [select, all],
  idempotency_keys: [none, all],
  // Gateways need no right to delete events: functions with the rights of their owner drop the partitions.
  events: [select, allButDelete, select],
  event_heads: [select, allButDelete, select],
  event_timelines: [select, selectAndInsert, select],
  audit_events: [none, insertOnly],
  record_rebuilds: [none, all],
  webhook_endpoints: [select, all, selectAndUpdate],
  webhook_parked: [select, all, all],
  webhook_attempts: [select, all, all],
};

/** Functions that only this gateway's role may execute, with their argument types. */
export const functionsOf = (gateway: GatewayKind): readonly string[] =>
  gateway === 'inbound' ? ['make_event_partitions()', 'drop_event_partitions(int)', 'refresh_statistics(text)'] : [];

/** All rights on tables that a gateway needs. Its role gets exactly these. */
export const rightsOf = (gateway: GatewayKind): Right[] => [
  ...Object.entries(tables).flatMap(([table, [read, inbound, webhooks = none]]) =>
    ({ read, inbound, webhooks })[gateway].map((privilege) => ({ table, privilege })),
  ),
  // Both gateways record the last use of a key.
  ...(gateway === 'webhooks' ? [] : [{ table: 'api_keys', privilege: 'UPDATE', column: 'last_used_at' } as const]),
  ...(gateway === 'inbound' ? [{ table: 'organizations', privilege: 'UPDATE', column: 'setup_version' } as const] : []),
];
