/** A string, or a character that opens, closes or separates values. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},]/gs;
/** `events` is in `data`, which is in the answer. */
const depthOfList = 3;

/**
 * The JSON texts of the events in an answer of `GET /v1/events`, as they arrived. Parsed and serialized again they would have other bytes,
 * and so other signatures.
 *
 * `{"data":{"events":[{"id": 1},{"id": 2}],…}}` → `{"id": 1}` and `{"id": 2}`
 */
export const eventTexts = (answer: string): readonly string[] => {
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: found, index } of answer.matchAll(token)) {
    if (found === '[' || found === '{') {
      depth += 1;
      if (depth === depthOfList && found === '[') start = index + 1;
    } else if (depth === depthOfList && start > 0 && (found === ',' || found === ']')) {
      texts.push(answer.slice(start, index));
      start = index + 1;
    }
    if (found === ']' || found === '}') {
      depth -= 1;
      if (depth < depthOfList && start > 0) break;
    }
  }
  return texts.length === 1 && texts[0] === '' ? [] : texts;
};
