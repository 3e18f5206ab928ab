/** A name from a request for an error text: in quotation marks, escaped, and cut if it is long. */
export declare const quote: (name: string) => string;
