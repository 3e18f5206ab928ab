/** A block of shell commands of a page, and the output that the page shows for it. */
export interface ShellExample {
  /** The first line, for the name of a test. */
  readonly title: string;
  readonly commands: string;
  readonly json: unknown;
  readonly text: string | undefined;
}

/** A block in a list is indented like its fence. */
const fence = /^( *)```(sh|json|text)\n([^]*?)^\1```$/gm;

/** The blocks of a page in order. A `json` or `text` block shows what the `sh` block before it prints. */
export const readShellExamples = (page: string): readonly ShellExample[] => {
  const examples: ShellExample[] = [];
  for (const [, indent = '', kind, indented = ''] of page.matchAll(fence)) {
    const content = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const last = examples.at(-1);
    if (kind === 'sh') {
      examples.push({ title: content.split('\n')[0] ?? '', commands: content, json: undefined, text: undefined });
    } else if (last !== undefined) {
      const shown = kind === 'json' ? { json: JSON.parse(content) as unknown } : { text: content.trim() };
      examples[examples.length - 1] = { ...last, ...shown };
    }
  }
  return examples;
};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/**
 * Reduces the real output to the parts that the page shows. Objects may have more keys, lists must have the same
 * entries, and `…` matches any text.
 */
export const shownPart = (shown: unknown, printed: unknown): unknown => {
  if (shown === '…') return typeof printed === 'string' && printed !== '' ? '…' : printed;
  if (Array.isArray(shown) && Array.isArray(printed)) {
    return printed.map((entry, index) => shownPart(shown[index], entry));
  }
  if (!isObject(shown) || !isObject(printed)) return printed;
  return Object.fromEntries(Object.entries(shown).map(([key, value]) => [key, shownPart(value, printed[key])]));
};
