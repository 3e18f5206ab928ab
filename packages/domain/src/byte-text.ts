const onlyAscii = /^[\x00-\x7f]*$/;

/**
 * A text as its bytes in UTF-8, a character for each. What only passes through, from the database to a socket, is kept so:
 * decoding it and encoding it again would cost more than all else that is done for a page.
 */
export const toByteText = (text: string): string =>
  onlyAscii.test(text) ? text : Buffer.from(text).toString('latin1');

/** The text of which {@link toByteText} made the bytes. */
export const fromByteText = (bytes: string): string =>
  onlyAscii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');
