const field = (name, kind, nullable, always) => {
    const isScalar = kind !== 'contact_list';
    return { name, kind, nullable, always, sortable: isScalar, filterable: isScalar };
};
const base = (name, kind) => field(name, kind, false, true);
const nullableBase = (name, kind) => field(name, kind, true, true);
const extra = (name, kind) => field(name, kind, false, false);
const nullableExtra = (name, kind) => field(name, kind, true, false);
const history = [
    extra('created_at', 'timestamp'),
    extra('updated_at', 'timestamp'),
    extra('version', 'number'),
];
/** The system fields of each object: first those of every record, then the extras, in the order of the records. */
export const systemFields = {
    opportunity: [
        base('id', 'uuid'),
        nullableBase('name', 'text'),
        base('pipeline_id', 'uuid'),
        nullableBase('stage_id', 'uuid'),
        nullableBase('stage_name', 'text'),
        nullableBase('account_id', 'uuid'),
        nullableBase('contact_id', 'uuid'),
        base('additional_contacts', 'contact_list'),
        nullableExtra('external_id', 'text'),
        nullableExtra('amount', 'number'),
        nullableExtra('currency', 'text'),
        nullableExtra('close_date', 'epoch_ms'),
        nullableExtra('next_action_date', 'epoch_ms'),
        nullableExtra('next_step', 'text'),
        nullableExtra('owner_id', 'uuid'),
        nullableExtra('owner_email', 'email'),
        ...history,
        nullableExtra('account_domain', 'domain'),
        nullableExtra('account_name', 'text'),
        nullableExtra('contact_email', 'email'),
        nullableExtra('contact_first_name', 'text'),
        nullableExtra('contact_last_name', 'text'),
        nullableExtra('pipeline_name', 'text'),
    ],
    account: [
        base('id', 'uuid'),
        base('domain', 'domain'),
        nullableBase('name', 'text'),
        nullableExtra('external_id', 'text'),
        nullableExtra('industry', 'text'),
        nullableExtra('description', 'text'),
        nullableExtra('website', 'text'),
        nullableExtra('employee_range', 'text'),
        extra('is_freemail', 'boolean'),
        ...history,
    ],
    contact: [
        base('id', 'uuid'),
        nullableBase('name', 'text'),
        nullableBase('first_name', 'text'),
        nullableBase('last_name', 'text'),
        base('email', 'email'),
        nullableBase('account_id', 'uuid'),
        nullableExtra('external_id', 'text'),
        nullableExtra('job_title', 'text'),
        nullableExtra('phone', 'text'),
        ...history,
    ],
};
/** The type of each relation. */
export const relationKinds = {
    'account.domain': 'domain',
    'account.name': 'text',
    'contact.email': 'email',
};
/** The relations that filters of each object accept. `contact.email` is the primary contact's. */
export const relationNames = {
    opportunity: ['account.domain', 'account.name', 'contact.email'],
    account: [],
    contact: ['account.domain', 'account.name'],
};
const byName = (fields) => new Map(fields.map((one) => [one.name, one]));
const fieldsByName = {
    opportunity: byName(systemFields.opportunity),
    account: byName(systemFields.account),
    contact: byName(systemFields.contact),
};
/** The system field with exactly this name, or null. */
export const findSystemField = (objectType, name) => fieldsByName[objectType].get(name) ?? null;
/** The relation with exactly this name that filters of this object accept, or null. */
export const findRelation = (objectType, name) => relationNames[objectType].find((relation) => relation === name) ?? null;
//# sourceMappingURL=system-fields.js.map