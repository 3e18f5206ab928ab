/**
 * The URL of a text, or null if it is none. `URL.canParse` of Node 20 is no substitute: once it has been optimized, it answers wrongly
 * for hosts with Latin-1 letters.
 */
export declare const toUrl: (text: string) => URL | null;
