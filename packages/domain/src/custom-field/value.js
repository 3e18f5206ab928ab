import { parseDate, parseInstant, parseTime } from './calendar.js';
import { parseDateRange, parseDatetime } from './values/date.js';
import { parseLocation } from './values/location.js';
import { parseCheckbox, parseCurrency, parseNumber, parseRating } from './values/number.js';
import { parseOption, parseOptions } from './values/option.js';
import { parseTeamMembers } from './values/team-members.js';
import { parseEmail, parsePhone, parseString } from './values/text.js';
import { parseUrl, parseWebsite } from './values/web-address.js';
const parsers = {
    string: parseString,
    number: parseNumber,
    checkbox: parseCheckbox,
    date: parseDate,
    date_range: parseDateRange,
    rating: parseRating,
    timestamp: parseInstant,
    select: parseOption,
    multi_select: parseOptions,
    currency: parseCurrency,
    percentage: parseNumber,
    location: parseLocation,
    time: parseTime,
    datetime: parseDatetime,
    email: parseEmail,
    phone: parsePhone,
    website: parseWebsite,
    url: parseUrl,
    radio: parseOption,
    team_members: (input, _definition, references) => parseTeamMembers(input, references),
};
/**
 * Parses a sent value into the form in which it is stored and read. Nothing is coerced: `"12"` is not a number. A
 * stored value is valid input and comes back unchanged. The caller handles `null`: it clears the field in an update and
 * means absent in a create.
 *
 * @returns the stored form, or the error text for the field's path.
 */
export const parseCustomValue = (definition, input, references) => parsers[definition.attributeType](input, definition, references);
//# sourceMappingURL=value.js.map