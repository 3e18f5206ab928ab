/** The maximum length of a string value, in code points; also the limit of phone, website and url. */
export declare const maxStringLength = 10000;
/** The maximum length of an account's website, before and after normalization. */
export declare const maxAccountWebsiteLength = 2048;
/** The maximum length of one part of a location, or of a location sent as one string. */
export declare const maxLocationPartLength = 1000;
/** The maximum number of members in one `team_members` value. */
export declare const maxTeamMembers = 100;
/** The maximum number of entries in one `multi_select` value as sent, including duplicates. */
export declare const maxSelections = 500;
/** The text as an error shows it: its first 80 characters, then `…` if it is longer. */
export declare const echo: (text: string) => string;
/** The texts as one list for an error: at most about 400 characters, then the number of further texts. */
export declare const echoList: (texts: readonly string[]) => string;
