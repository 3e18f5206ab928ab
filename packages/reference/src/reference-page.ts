import { escapeHtml, renderParagraphs } from './html.js';
import { type NavigationGroup, type NavigationLink, type PageFiles, renderPage } from './page.js';
import type { ReferenceOptions } from './reference.js';
import { type OperationSamples, readSamples, variablesOf } from './samples/samples.js';
import { errorSection, headerSection, objectSection } from './sections/common.js';
import { listMessages, messageSection } from './sections/messages.js';
import { type Guide, guideSection, readGuides } from './sections/guides.js';
import { methodBadge, operationSection } from './sections/operation.js';

interface ReferencePageOptions extends ReferenceOptions {
  readonly contract: string;
  readonly introduction: string;
  readonly files: PageFiles;
}

interface Resource {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly OperationSamples[];
}

const resourcesOf = ({ document, gateway }: ReferenceOptions): readonly Resource[] => {
  const samples = readSamples(document, gateway);
  const described = new Map(document.tags?.map(({ name, description }) => [name, description]));
  const names = new Set([...described.keys(), ...samples.map(({ operation }) => operation.tags[0] ?? 'Other')]);
  return [...names].map((name) => ({
    name,
    description: described.get(name) ?? '',
    operations: samples.filter(({ operation }) => (operation.tags[0] ?? 'Other') === name),
  }));
};

const navigationOf = (
  guides: readonly Guide[],
  resources: readonly Resource[],
  messages: readonly NavigationLink[],
): readonly NavigationGroup[] => [
  { title: 'Guides', links: guides.map(({ title, anchor }) => ({ title, href: `#${anchor}` })) },
  ...resources.map(({ name, operations }) => ({
    title: name,
    links: operations.map(({ operation: { operationId, method, summary } }) => ({
      title: summary,
      href: `#${operationId}`,
      badge: methodBadge(method),
    })),
  })),
  ...(messages.length === 0 ? [] : [{ title: 'Webhook messages', links: messages }]),
  {
    title: 'More',
    links: [
      { title: 'Common errors', href: '#common-errors' },
      { title: 'Headers', href: '#headers' },
      { title: 'Objects', href: '#objects' },
    ],
  },
];

const resourceSection = ({ name, description, operations }: Resource, schemas: object): string =>
  `<section class="resource" aria-label="${escapeHtml(name)}"><div class="wide"><h2>${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p></div>
${operations.map((samples) => operationSection(samples, schemas as Record<string, never>)).join('\n')}</section>`;

/** The form for the key and the variables. Its values leave the tab only in requests to this gateway. */
const valuesForm = (variables: readonly string[]): string =>
  `<details class="values" id="values"><summary>Your key and values</summary>
<p>“Try it” sends them with your requests. The browser forgets them when you close this tab. Responses fill in ids that are still empty, also for the page of the other gateway if you open it from here.</p>
<form id="values-form">
${['API key', ...variables]
  .map((name) => {
    const field = name === 'API key' ? 'key' : name;
    const type = field === 'key' ? 'password' : 'text';
    return `<div><label for="value-${field}">${field === 'key' ? name : `<code>$${name}</code>`}</label><input id="value-${field}" name="${field}" type="${type}" autocomplete="off" spellcheck="false"></div>`;
  })
  .join('\n')}
<button type="reset">Forget all</button>
</form></details>`;

/** The page of one gateway's operations. */
export const referencePage = (options: ReferencePageOptions): string => {
  const { document, gateway, otherGatewayUrl, introduction, contract, files } = options;
  const schemas = document.components?.schemas ?? {};
  const guides = readGuides(introduction, contract);
  const resources = resourcesOf(options);
  const messages = listMessages(document);
  const operations =
    resources.map((resource) => resourceSection(resource, schemas)).join('\n') + messageSection(messages, schemas);
  const common = errorSection(document) + headerSection(document, schemas);
  const other = gateway === 'read' ? 'Inbound gateway' : 'Read gateway';
  const documents: readonly NavigationLink[] = [
    { href: 'docs/contract', title: 'Contract' },
    { href: 'openapi.json', title: 'OpenAPI' },
    ...(otherGatewayUrl === undefined ? [] : [{ href: `${otherGatewayUrl.replace(/\/$/, '')}/docs`, title: other }]),
    { href: '#values', title: 'API key' },
  ];
  return renderPage({
    title: document.info.title,
    version: document.info.version,
    root: '',
    files,
    gateway: { name: gateway, other: otherGatewayUrl ?? '' },
    links: documents,
    navigation: navigationOf(
      guides,
      resources,
      messages.map(({ operationId, summary }) => ({ title: summary, href: `#${operationId}` })),
    ),
    values: valuesForm(variablesOf(resources.flatMap((resource) => resource.operations))),
    main: `<section class="guide intro"><h1>${escapeHtml(document.info.title)}</h1>${renderParagraphs(document.info.description)}</section>
${guides.map(guideSection).join('\n')}
${operations}
${common}${objectSection(operations + common, schemas)}`,
  });
};
