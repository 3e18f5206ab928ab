import { relationKinds } from '../system-fields.js';
const systemKinds = {
    text: 'text',
    email: 'email',
    domain: 'domain',
    number: 'number',
    boolean: 'boolean',
    uuid: 'uuid',
    epoch_ms: 'instant',
    timestamp: 'instant',
    contact_list: 'whole',
};
const attributeKinds = {
    string: 'text',
    number: 'number',
    checkbox: 'checkbox',
    date: 'date',
    date_range: 'whole',
    rating: 'number',
    timestamp: 'timestamp',
    select: 'option',
    multi_select: 'option_set',
    currency: 'number',
    percentage: 'number',
    location: 'whole',
    time: 'time',
    datetime: 'datetime',
    // Not the kinds `email` and `domain`, which are for natural keys: these fields contain text that a person typed.
    email: 'text',
    phone: 'text',
    website: 'text',
    url: 'text',
    radio: 'option',
    team_members: 'member_set',
};
/** How the values of this field compare. */
export const filterKindOf = (ref) => {
    if (ref.source === 'system')
        return systemKinds[ref.field.kind];
    if (ref.source === 'relation')
        return systemKinds[relationKinds[ref.name]];
    if (ref.part === undefined)
        return attributeKinds[ref.definition.attributeType];
    if (ref.definition.attributeType === 'date_range')
        return 'date';
    return ref.part === 'lat' || ref.part === 'lng' ? 'number' : 'text';
};
//# sourceMappingURL=kind.js.map