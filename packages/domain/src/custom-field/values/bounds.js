import { codePointLength } from '../../text.js';
/** The maximum length of a string value, in code points; also the limit of phone, website and url. */
export const maxStringLength = 10_000;
/** The maximum length of an account's website, before and after normalization. */
export const maxAccountWebsiteLength = 2_048;
/** The maximum length of one part of a location, or of a location sent as one string. */
export const maxLocationPartLength = 1_000;
/** The maximum number of members in one `team_members` value. */
export const maxTeamMembers = 100;
/** The maximum number of entries in one `multi_select` value as sent, including duplicates. */
export const maxSelections = 500;
const maxEchoedLength = 80;
const maxListedLength = 400;
/** The text as an error shows it: its first 80 characters, then `…` if it is longer. */
export const echo = (text) => codePointLength(text) > maxEchoedLength
    ? `${[...text.slice(0, maxEchoedLength * 2)].slice(0, maxEchoedLength).join('')}…`
    : text;
/** The texts as one list for an error: at most about 400 characters, then the number of further texts. */
export const echoList = (texts) => {
    const shown = [];
    let length = 0;
    for (const text of texts) {
        const echoed = echo(text);
        length += echoed.length + 2;
        if (length > maxListedLength)
            break;
        shown.push(echoed);
    }
    const leftOff = texts.length - shown.length;
    return leftOff === 0 ? shown.join(', ') : `${shown.join(', ')} and ${leftOff} more`;
};
//# sourceMappingURL=bounds.js.map