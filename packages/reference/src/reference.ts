import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type OpenApiDocument } from './document.js';
import { contractPage } from './contract-page.js';
import { referencePage } from './reference-page.js';
import { type SearchedDocument, searchIndex } from './search-index.js';

/** A file that the pages load. */
export interface ReferenceFile {
  /** Relative to the folder of `/docs`, with a hash of the content: `docs/0a1b…/reference.css`. */
  readonly url: string;
  readonly contentType: string;
  readonly content: Buffer;
}

/** The pages and files that a gateway serves at `/docs`. */
export interface Reference {
  /** The page at `/docs`. */
  readonly html: string;
  /** The page at `/docs/contract`. */
  readonly contractHtml: string;
  readonly files: readonly ReferenceFile[];
}

/** The inputs of a gateway's reference. */
export interface ReferenceOptions {
  readonly document: OpenApiDocument;
  readonly gateway: 'read' | 'inbound';
  /** The document of the other gateway, for the search. */
  readonly otherDocument: OpenApiDocument;
  /** The other gateway's address for browsers; no link if absent. */
  readonly otherGatewayUrl?: string | undefined;
}

const packageFolder = new URL('../', import.meta.url);
const contractFile = new URL('../../../docs/contract.md', import.meta.url);

/** The sources of the one stylesheet, joined in this order. */
const stylesheets = ['base', 'navigation', 'content', 'code', 'screens'].map((name) => `styles/${name}.css`);

/** The sources of the one script. */
const scripts = ['page', 'requests'].map((name) => `scripts/${name}.js`);

const toFile = (name: string, contentType: string, content: Buffer): ReferenceFile => {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { url: `docs/${hash}/${name}`, contentType, content };
};

const readFile = (name: string, contentType: string, sources = [name]): ReferenceFile => {
  const contents = sources.map((source) => readFileSync(new URL(`assets/${source}`, packageFolder)));
  return toFile(name, contentType, Buffer.concat(contents));
};

/** The file of the search. Without an address of the other gateway, its operations lead to the contract, which lists them. */
const indexFile = ({ document, gateway, otherDocument, otherGatewayUrl }: ReferenceOptions, contract: string) => {
  const otherPage = otherGatewayUrl === undefined ? 'docs/contract' : `${otherGatewayUrl.replace(/\/$/, '')}/docs`;
  const documents: readonly SearchedDocument[] = [
    { document, gateway, page: 'docs' },
    { document: otherDocument, gateway: gateway === 'read' ? 'inbound' : 'read', page: otherPage },
  ];
  return toFile('search.json', 'application/json', Buffer.from(searchIndex(documents, contract)));
};

/**
 * Renders the reference of one gateway from its OpenAPI document, the contract and the files of this package.
 * @throws Error when a file is missing
 */
export const buildReference = (options: ReferenceOptions): Reference => {
  const stylesheet = readFile('reference.css', 'text/css; charset=utf-8', stylesheets);
  const script = readFile('reference.js', 'text/javascript; charset=utf-8', scripts);
  const icon = readFile('icon.svg', 'image/svg+xml');
  const contract = readFileSync(contractFile, 'utf8');
  const index = indexFile(options, contract);
  const files = { stylesheet: stylesheet.url, script: script.url, icon: icon.url, searchIndex: index.url };
  const introduction = readFileSync(new URL('guides/get-started.md', packageFolder), 'utf8');
  return {
    html: referencePage({ ...options, files, contract, introduction }),
    contractHtml: contractPage(contract, options.document.info.version, files),
    files: [stylesheet, script, icon, index],
  };
};
