/**
 * So many combining marks in a row, of two classes in turn: NFC sorts them in a time that grows with the square of their
 * number, so that 120,000 of them (240 KB) take seconds.
 */
export const markRun = (count: number): string => '\u0301\u0323'.repeat(Math.ceil(count / 2)).slice(0, count);

/** The body once for each text in it, each time with that text replaced. */
export const withEachText = (body: unknown, replacement: string): readonly unknown[] => {
  if (typeof body === 'string') return [replacement];
  if (Array.isArray(body)) {
    const items = body as readonly unknown[];
    return items.flatMap((item, index) => withEachText(item, replacement).map((changed) => items.with(index, changed)));
  }
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) =>
    withEachText(value, replacement).map((changed) => ({ ...body, [name]: changed })),
  );
};
