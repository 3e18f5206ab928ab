import { Marked } from 'marked';

/** Text as HTML: `a < b` gives `a &lt; b`. */
export const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The anchor of a heading, as GitHub makes it: `Statuses and errors` gives `statuses-and-errors`. */
export const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** A code block. It can scroll, so it must be focusable with the keyboard. */
export const codeBlock = (highlighted: string, label: string): string =>
  `<pre tabindex="0" role="region" aria-label="${escapeHtml(label)}"><code>${highlighted}</code></pre>`;

interface MarkdownOptions {
  /** Turns a link's address into one for the page; null keeps only the link's text. */
  readonly toAddress?: (href: string) => string | null;
  /** The prefix of every heading's anchor. */
  readonly anchorPrefix?: string;
  /** By how many levels headings are lowered. */
  readonly shift?: number;
}

/** Converts Markdown of this repository to HTML without style attributes. */
export const renderMarkdown = (markdown: string, options: MarkdownOptions = {}): string => {
  const { toAddress = (href: string) => href, anchorPrefix = '', shift = 0 } = options;
  const marked = new Marked({ gfm: true, async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }) {
        const level = Math.min(depth + shift, 6);
        const id = `${anchorPrefix}${toAnchor(text)}`;
        return `<h${level} id="${id}">${this.parser.parseInline(tokens)}</h${level}>\n`;
      },
      link({ href, tokens }) {
        const address = toAddress(href);
        const content = this.parser.parseInline(tokens);
        return address === null ? content : `<a href="${escapeHtml(address)}">${content}</a>`;
      },
      code({ text, lang }) {
        return codeBlock(escapeHtml(text), lang === 'http' ? 'Request and answer' : 'Example');
      },
      table({ header, rows }) {
        const cells = (row: typeof header, tag: string): string =>
          row.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('');
        const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('');
        return `<div class="table" tabindex="0" role="region" aria-label="Table"><table><thead><tr>${cells(header, 'th')}</tr></thead><tbody>${body}</tbody></table></div>\n`;
      },
      html: () => '',
    },
  });
  return marked.parse(markdown) as string;
};

const inline = new Marked({ async: false });

/** Escapes `<`, because `<slug>` in a description is text and not a tag. Inside backquotes it is escaped anyway. */
const escapeTags = (markdown: string): string =>
  markdown.replaceAll(/(`[^`]*`)|</g, (_match, code: string | undefined) => code ?? '&lt;');

/** One or two sentences of Markdown, without a paragraph element. */
export const renderInline = (markdown: string): string => inline.parseInline(escapeTags(markdown)) as string;

/** Descriptions of the document as paragraphs and tables. Most have one line, which needs no parser of blocks. */
export const renderParagraphs = (markdown: string): string =>
  markdown.includes('\n') ? renderMarkdown(escapeTags(markdown)) : `<p>${renderInline(markdown)}</p>`;
