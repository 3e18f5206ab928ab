import { codePointLength } from '../../text.js';

/** Most characters (code points) of a string value; also the bound of phone, website and url. */
export const maxStringLength = 10_000;

/** Most characters of an account's website, before and after it is normalised. */
export const maxAccountWebsiteLength = 2_048;

/** Most characters of one part of a location, or of a location sent as one string. */
export const maxLocationPartLength = 1_000;

/** Most members in one `team_members` value. */
export const maxTeamMembers = 100;

/** Most entries in one `multi_select` value as sent, repetitions included. */
export const maxSelections = 500;

const maxEchoedLength = 80;
const maxListedLength = 400;

/** The text as an error shows it: its first 80 characters, then `…` if it is longer. */
export const echo = (text: string): string =>
  codePointLength(text) > maxEchoedLength
    ? `${[...text.slice(0, maxEchoedLength * 2)].slice(0, maxEchoedLength).join('')}…`
    : text;

/** The texts as one list for an error: about 400 characters at most, then how many more there are. */
export const echoList = (texts: readonly string[]): string => {
  const shown: string[] = [];
  let length = 0;
  for (const text of texts) {
    const echoed = echo(text);
    length += echoed.length + 2;
    if (length > maxListedLength) break;
    shown.push(echoed);
  }
  const leftOff = texts.length - shown.length;
  return leftOff === 0 ? shown.join(', ') : `${shown.join(', ')} and ${leftOff} more`;
};
