/** A gateway has a role of its own. */
export type GatewayKind = 'read' | 'inbound';

/** What a role may do with a table, or with one of its columns. */
export interface Right {
  readonly table: string;
  readonly privilege: 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';
  readonly column?: string;
}

type Privileges = readonly Right['privilege'][];

const select: Privileges = ['SELECT'];
const change: Privileges = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
/** Set-up is archived, never deleted. */
const set: Privileges = ['SELECT', 'INSERT', 'UPDATE'];
const add: Privileges = ['SELECT', 'INSERT'];
/** The audit trail cannot be read or changed through a gateway. */
const note: Privileges = ['INSERT'];
const none: Privileges = [];

/** Every table, with the privileges of the read and the inbound gateway. */
const tables: Readonly<Record<string, readonly [read: Privileges, inbound: Privileges]>> = {
  _prisma_migrations: [select, select],
  function_versions: [select, select],
  gateway_requirements: [select, select],
  organizations: [select, select],
  api_keys: [select, select],
  members: [select, change],
  pipelines: [select, set],
  stages: [select, set],
  custom_fields: [select, set],
  custom_field_pipelines: [select, add],
  accounts: [select, change],
  contacts: [select, change],
  opportunities: [select, change],
  opportunity_contacts: [select, change],
  notes: [select, change],
  note_accounts: [select, change],
  note_contacts: [select, change],
  note_opportunities: [select, change],
  account_aliases: [select, change],
  contact_aliases: [select, change],
  merged_records: [select, change],
  idempotency_keys: [none, change],
  // Partitions are dropped by functions that run with the rights of their owner.
  events: [select, ['SELECT', 'INSERT', 'UPDATE']],
  event_heads: [select, ['SELECT', 'INSERT', 'UPDATE']],
  event_timelines: [select, ['SELECT', 'INSERT']],
  audit_events: [none, note],
  record_rebuilds: [none, change],
};

/** Functions that not every role may execute, with their arguments' types. */
export const functionsOf = (gateway: GatewayKind): readonly string[] =>
  gateway === 'inbound' ? ['make_event_partitions()', 'drop_event_partitions(int)'] : [];

/** All that a gateway needs of tables, and all that its role gets. */
export const rightsOf = (gateway: GatewayKind): Right[] => [
  ...Object.entries(tables).flatMap(([table, [read, inbound]]) =>
    (gateway === 'read' ? read : inbound).map((privilege) => ({ table, privilege })),
  ),
  // Both note when a key was last used.
  { table: 'api_keys', privilege: 'UPDATE', column: 'last_used_at' },
];
