/** The largest result in tokens, counting its text and its structured content, which say the same. */
export const maxResultTokens = 8_000;
/** What the properties beside the items of a result may take: notice, cursor, names of keys. */
const reservedTokens = 700;
const itemTokens = maxResultTokens / 2 - reservedTokens;

/**
 * An upper estimate of the tokens of a text, without a tokenizer: models differ. Prose has about four ASCII characters
 * a token, but ids and dates only two. Other characters may take a token or more each.
 */
export const estimateTokens = (value: unknown): number => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  let dense = 0;
  let other = 0;
  for (const character of text) {
    if (character > '\u007f') other += 1;
    else if (character >= '0' && character <= '9') dense += 1;
  }
  return Math.ceil((text.length - dense - other) / 3 + dense / 1.5 + other * 1.3);
};

/** How many of the items fit into one result; at least one. */
export const countFitting = (items: readonly unknown[]): number => {
  let tokens = 0;
  for (const [index, item] of items.entries()) {
    tokens += estimateTokens(item);
    if (tokens > itemTokens && index > 0) return index;
  }
  return items.length;
};

/** The longest part of a text that fits, not ending within a character. */
const fittingPart = (text: string, tokens: number): string => {
  let end = Math.min(text.length, Math.max(1, tokens * 3));
  while (end > 1 && estimateTokens(JSON.stringify(text.slice(0, end))) > tokens) end = Math.ceil(end * 0.8) - 1;
  return /[\ud800-\udbff]/.test(text.charAt(end - 1)) && end > 1 ? text.slice(0, end - 1) : text.slice(0, end);
};

const maxListText = 300;

const clip = (value: unknown): unknown => {
  if (typeof value !== 'string' || value.length <= maxListText) return value;
  const shown = fittingPart(value.slice(0, maxListText), maxListText);
  return `${shown}… (${value.length - shown.length} more characters: get_record)`;
};

/** A record as an item of a list: long texts are cut, and fields that do not fit are left out. */
export const shorten = (record: object): Record<string, unknown> => {
  const short: Record<string, unknown> = {};
  let tokens = 0;
  let missing = 0;
  for (const [name, value] of Object.entries(record) as [string, unknown][]) {
    if (value === undefined) continue;
    const shown = isPlain(value) ? shorten(value) : clip(value);
    tokens += estimateTokens(shown) + 5;
    if (tokens > itemTokens / 2) missing += 1;
    else short[name] = shown;
  }
  return missing === 0 ? short : { ...short, more: `${missing} more fields: get_record` };
};

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The part of a record that fits into one result, from a position on. The position `7:3000` is the character 3000 of the
 * eighth field. A value that is not a text is cut as JSON text.
 */
export const partOfRecord = (
  record: Readonly<Record<string, unknown>>,
  position = '0:0',
): { readonly record: Record<string, unknown>; readonly next_cursor?: string } => {
  const [start = 0, offset = 0] = position.split(':').map(Number);
  const part: Record<string, unknown> = {};
  let left = itemTokens;
  for (const [index, [name, value]] of Object.entries(record).entries()) {
    if (index < start) continue;
    const from = index === start ? offset : 0;
    if (from === 0 && estimateTokens(value) + 5 <= left) {
      part[name] = value;
      left -= estimateTokens(value) + 5;
      continue;
    }
    const text = (typeof value === 'string' ? value : JSON.stringify(value)).slice(from);
    if (left < 500 && Object.keys(part).length > 0) return { record: part, next_cursor: `${index}:${from}` };
    part[name] = fittingPart(text, left);
    const end = from + String(part[name]).length;
    left = 0;
    if (end < from + text.length) return { record: part, next_cursor: `${index}:${end}` };
  }
  return { record: part };
};
