/** Longer keys are cut in error paths, because a path names a field and must not echo the request. */
const shownKeyLength = 100;

const unescape = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');
const shorten = (key: string): string => (key.length > shownKeyLength ? `${key.slice(0, shownKeyLength)}…` : key);

/** Adds a property to a dotted path. */
export const joinPath = (path: string, key: string): string => (path === '' ? shorten(key) : `${path}.${shorten(key)}`);

/** The dotted form of a JSON pointer into `input`: `/items/3/email` becomes `items[3].email`. */
export const dottedPath = (pointer: string, input: unknown): string => {
  let value = input;
  let path = '';
  for (const segment of pointer.split('/').slice(1)) {
    const key = unescape(segment);
    path = Array.isArray(value) ? `${path}[${key}]` : joinPath(path, key);
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return path;
};
