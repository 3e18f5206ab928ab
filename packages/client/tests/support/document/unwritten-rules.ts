/**
 * The rules that the documents state in words because JSON Schema cannot express them. A valid request may get 400 on these fields and
 * on no others. By the last name in the path of the error.
 */
export const unwrittenRules: readonly (readonly [field: RegExp, rule: string])[] = [
  [/^(.*_)?domains?$/, 'a domain in any spelling that can be normalized'],
  [/^(.*_)?emails?$/, 'an email in any spelling that can be normalized; an owner is a member'],
  [/^(website|phone|color|currency|slug)$/, 'a notation of its own, in several forms'],
  [/^(name|label|title|content|body)$/, 'not blank, not twice in one request, or one of several is needed'],
  [
    /^(.*_)?ids?$|^(from|reassign_to|opportunities|move_opportunities_to|value)$/,
    'names what exists, and is of use with it',
  ],
  [
    /^(fields|field|operator|filters|sort|direction|group_by|measures)$/,
    'names of fields, which depend on the organization',
  ],
  [/^(and|or|not)$/, 'a combination of filters has at least one'],
  [/^(options|max|pipeline_ids|attribute_type|object)$/, 'what a type of field takes'],
  [/^(cursor|X-Read-After|If-Match)$/, 'a text of an earlier answer'],
  [/^(after|position)$/, 'a position that the change log has'],
  [/^(q|query|next_step|next_steps)$/, 'two names of one value, which have to agree'],
  [/^(deal_size|close_date|next_action_date)$/, 'at most 15 digits, or milliseconds rather than seconds'],
  [/^(version|is_default|is_active|archived)$/, 'depends on the state of the record'],
];
