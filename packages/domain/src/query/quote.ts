const maxQuotedLength = 60;

/** A name from a request for an error text: in quotation marks, escaped, and cut if it is long. */
export const quote = (name: string): string =>
  JSON.stringify(name.length > maxQuotedLength ? `${name.slice(0, maxQuotedLength)}…` : name);
