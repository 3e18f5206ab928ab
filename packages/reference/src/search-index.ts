import { listOperations, type OpenApiDocument } from './document.js';
import { toAnchor } from './html.js';

/** A place that the search finds. Matches in the title come first, then those in `head`. */
interface SearchEntry {
  readonly title: string;
  /** Where it is, as shown: `Read gateway`. */
  readonly place: string;
  /** Relative to the folder of `/docs`, or on the other gateway. */
  readonly href: string;
  readonly head: string;
  readonly text: string;
}

/** The documents that the search covers, with the addresses of their pages. */
export interface SearchedDocument {
  readonly document: OpenApiDocument;
  readonly gateway: 'read' | 'inbound';
  readonly page: string;
}

/** The described parts of a document: `q: Another name of query.` */
const describedParts = (value: unknown, name = ''): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { description, name: own = name } = value as { description?: unknown; name?: unknown };
  const parts = Object.entries(value).filter(([key]) => !key.startsWith('example'));
  const label = typeof own === 'string' && /[a-z]/i.test(own) ? `${own}: ` : '';
  const text = typeof description === 'string' ? [`${label}${description}`] : [];
  return [...text, ...parts.flatMap(([key, part]) => describedParts(part, key))];
};

/** The words of a Markdown text, without comments, targets of links and signs of lists. */
const plainText = (markdown: string): string =>
  markdown.replaceAll(/<!--.*?-->|\[([^\]]+)\]\([^)]*\)|^ *- /gm, '$1').replaceAll(/[`*|\s]+/g, ' ');

const textOf = (value: unknown): string => plainText(describedParts(value).join(' '));

/** The page shows the envelope of a response at its operation. */
const isEnvelope = (schemaName: string): boolean => schemaName.endsWith('Response');

const documentEntries = ({ document, gateway, page }: SearchedDocument): readonly SearchEntry[] => {
  const place = gateway === 'read' ? 'Read gateway' : 'Inbound gateway';
  const { responses = {}, schemas = {}, parameters = {} } = document.components ?? {};
  return [
    ...listOperations(document).map((operation) => {
      const { operationId, summary, method, path, parameters: own, body } = operation;
      const head = `${operationId} ${method} ${path} ${operation.tags.join(' ').replace('Opportunities', '$& deals')}`;
      const text = textOf([operation, own, body]);
      return { title: summary, place, href: `${page}#${operationId}`, head, text };
    }),
    ...Object.entries(responses).map(([name, { description, content }]) => {
      const { statusCode, code } = content?.['application/json']?.example as { statusCode: number; code: string };
      const title = `${statusCode} ${code}`;
      return { title, place: 'Common errors', href: `${page}#error-${name}`, head: name, text: description };
    }),
    ...Object.values(parameters).map(({ name, description = '' }) => {
      return { title: name, place: 'Headers', href: `${page}#header-${name}`, head: '', text: description };
    }),
    ...Object.entries(schemas)
      .filter(([name]) => !isEnvelope(name))
      .map(([name, schema]) => {
        return { title: name, place: 'Objects', href: `${page}#object-${name}`, head: '', text: textOf(schema) };
      }),
  ];
};

const contractEntries = (contract: string): readonly SearchEntry[] =>
  contract
    .split(/^##+ /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const href = `docs/contract#${toAnchor(title)}`;
      return { title, place: 'Contract', href, head: '', text: plainText(lines.join('\n')) };
    });

/** The search index as JSON. What both documents have in common is listed once, on the page of the first one. */
export const searchIndex = (documents: readonly SearchedDocument[], contract: string): string => {
  const entries = [...documents.flatMap(documentEntries), ...contractEntries(contract)];
  const seen = new Set<string>();
  return JSON.stringify(
    entries.filter(({ title, place }) => {
      const key = `${place} ${title}`;
      return !seen.has(key) && seen.add(key);
    }),
  );
};
