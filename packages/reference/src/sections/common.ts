import { listOperations, type OpenApiDocument, type Parameter } from '../document.js';
import { highlight } from '../highlight.js';
import { codeBlock, renderInline, renderParagraphs } from '../html.js';
import { fieldList, linkedObjects, parameterList, type Schemas, typeText } from './fields.js';

const exampleStatus = (example: unknown): string =>
  String((example as { statusCode?: number } | undefined)?.statusCode);

const exampleBlock = (example: unknown, label: string): string =>
  codeBlock(highlight(JSON.stringify(example, null, 2), 'json'), label);

/** The errors that operations share, each with its example. */
export const errorSection = ({ components }: OpenApiDocument): string => {
  const errors = Object.entries(components?.responses ?? {}).map(([name, { description, content }]) => {
    const example = content?.['application/json']?.example;
    return `<details class="error" id="error-${name}"><summary><b>${exampleStatus(example)}</b> ${renderInline(description)}</summary>${exampleBlock(example, `Example of ${name}`)}</details>`;
  });
  return `<section class="wide" id="common-errors" aria-labelledby="common-errors-title"><h2 id="common-errors-title">Common errors</h2>
<p>Every operation lists the statuses that it can answer. This is what they mean, each with an example.</p>${errors.join('')}</section>`;
};

/** The request headers by name, including those of single operations. */
const requestHeaders = (document: OpenApiDocument): readonly Parameter[] => {
  const headers = listOperations(document).flatMap(({ parameters }) =>
    parameters.filter((each) => each.in === 'header'),
  );
  return [...new Map(headers.map((header) => [header.name, header])).values()];
};

/** The headers that many requests and responses have. */
export const headerSection = (document: OpenApiDocument, schemas: Schemas): string => {
  const headers = Object.entries(document.components?.headers ?? {}).map(([name, header]) => ({ ...header, name }));
  return `<section class="wide" id="headers" aria-labelledby="headers-title"><h2 id="headers-title">Headers</h2>
<h3>Requests</h3><p>Each operation names the ones that it takes, besides <code>x-api-key</code>.</p>${parameterList(requestHeaders(document), schemas, 'header-')}
<h3>Responses</h3><p>Every operation sends these. An operation lists only the headers that it sends besides.</p>${parameterList(headers, schemas)}</section>`;
};

/** The objects that `html` links to, and those that they link to. */
export const objectSection = (html: string, schemas: Schemas): string => {
  const sections = new Map<string, string>();
  const waiting = [...linkedObjects(html)];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const schema = schemas[name];
    if (sections.has(name) || schema === undefined) continue;
    const fields = fieldList(schema, schemas) || `<p class="type">${typeText(schema, schemas)}</p>`;
    const [example] = schema.examples ?? [];
    const code = example === undefined ? '' : exampleBlock(example, `Example of ${name}`);
    sections.set(
      name,
      `<details class="object" id="object-${name}"><summary>${schema.title ?? name}</summary>${schema.description === undefined ? '' : renderParagraphs(schema.description)}${fields}${code}</details>`,
    );
    waiting.push(...linkedObjects(fields));
  }
  const sorted = [...sections].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, section]) => section);
  return `<section class="wide" id="objects" aria-labelledby="objects-title"><h2 id="objects-title">Objects</h2>
<p>What bodies and responses are made of.</p>${sorted.join('')}</section>`;
};
