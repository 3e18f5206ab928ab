/**
 * The URL of a text, or null if it is none. `URL.canParse` of Node 20 is no substitute: once it has been optimized, it answers wrongly
 * for hosts with Latin-1 letters.
 */
export const toUrl = (text) => {
    try {
        return new URL(text);
    }
    catch {
        return null;
    }
};
//# sourceMappingURL=to-url.js.map