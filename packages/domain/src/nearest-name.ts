/** Names longer than this are not compared: no field has one. */
const comparedLength = 64;
const farthestEdits = 2;

/**
 * The number of insertions, deletions and replacements that turn the rest of `from` into the rest of `to`; Infinity if it is more than
 * `most`. Equal characters are skipped, and each difference leaves three ways on: for two edits at most 13 scans of the names.
 */
const editsWithin = (most: number, from: string, to: string, fromStart = 0, toStart = 0): number => {
  let [start, end] = [fromStart, toStart];
  while (start < from.length && end < to.length && from[start] === to[end]) {
    start += 1;
    end += 1;
  }
  const longest = Math.max(from.length - start, to.length - end);
  if (longest === 0) return 0;
  if (most === 0) return Infinity;
  const rest = Math.min(
    editsWithin(most - 1, from, to, start + 1, end + 1),
    editsWithin(most - 1, from, to, start + 1, end),
    editsWithin(most - 1, from, to, start, end + 1),
  );
  return 1 + rest;
};

/**
 * The known name closest to `name`, if it is at most two edits away and these are fewer than half of its characters.
 */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > comparedLength) return undefined;
  let best: { name: string; edits: number } | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > farthestEdits) continue;
    const edits = editsWithin(farthestEdits, name, candidate);
    if (edits === Infinity || edits * 2 >= candidate.length) continue;
    if (best === undefined || edits < best.edits) best = { name: candidate, edits };
  }
  return best?.name;
};
