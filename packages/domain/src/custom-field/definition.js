/** The types of custom fields. */
export const attributeTypes = [
    'string',
    'number',
    'checkbox',
    'date',
    'date_range',
    'rating',
    'timestamp',
    'select',
    'multi_select',
    'currency',
    'percentage',
    'location',
    'time',
    'datetime',
    'email',
    'phone',
    'website',
    'url',
    'radio',
    'team_members',
];
/** The prefix of a slug in the API's `property_name`. */
export const propertyNamePrefix = 'custom__';
/** The name of a field in `fields`, filters and bodies: `custom__` and the slug. */
export const propertyName = (slug) => `${propertyNamePrefix}${slug}`;
/** The highest rating of a definition without a maximum. */
export const defaultRatingMax = 5;
//# sourceMappingURL=definition.js.map