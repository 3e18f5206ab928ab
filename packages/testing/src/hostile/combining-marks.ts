/**
 * A run of combining marks of two alternating classes. NFC sorts such a run in quadratic time: 120,000 marks (240 KB)
 * take seconds.
 */
export const combiningMarks = (count: number): string => '\u0301\u0323'.repeat(Math.ceil(count / 2)).slice(0, count);

/** Copies of the body, each with one of its texts replaced. */
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
