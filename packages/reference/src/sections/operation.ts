import { referencedName, type Schema } from '../document.js';
import { highlight, type Language } from '../highlight.js';
import { codeBlock, escapeHtml, renderParagraphs } from '../html.js';
import type { OperationSamples } from '../samples/samples.js';
import { fieldList, parameterList, resolveSchema, type Schemas } from './fields.js';
import { tryForm } from './try-it.js';

/** The languages of the samples, with their names on the page. */
export const sampleLanguages = { curl: 'curl', typescript: 'TypeScript', python: 'Python' } as const;

const sampleTabs = Object.entries(sampleLanguages)
  .map(([language, name]) => `<button type="button" data-language="${language}" aria-pressed="false">${name}</button>`)
  .join('');

const copyButton = '<button type="button" class="copy">Copy</button>';

/** The samples of an operation; one is visible at a time. */
const sampleBlock = (samples: OperationSamples): string => {
  const blocks = Object.entries(sampleLanguages).map(
    ([language, name]) =>
      `<div class="sample" data-language="${language}">${codeBlock(highlight(samples[language as 'curl'], language as Language), `${name} sample of ${samples.operation.operationId}`)}</div>`,
  );
  return `<div class="code"><div class="bar"><div class="tabs" role="group" aria-label="Language">${sampleTabs}</div>${copyButton}</div>${blocks.join('')}</div>`;
};

const responseExample = (example: unknown, id: string): string => {
  const json = JSON.stringify(example, null, 2);
  return `<div class="code"><div class="bar"><span>Response 200</span>${copyButton}</div>${codeBlock(highlight(json, 'json'), `Response of ${id}`)}</div>`;
};

const parameterSections = ({ operation }: OperationSamples, schemas: Schemas): string => {
  const titles = { path: 'Path', query: 'Query parameters' } as const;
  return Object.entries(titles)
    .map(([place, title]) => {
      const parameters = operation.parameters.filter((parameter) => parameter.in === place);
      return parameters.length === 0 ? '' : `<h4>${title}</h4>${parameterList(parameters, schemas)}`;
    })
    .join('');
};

/** Fields of every response. They are left out, because the introduction explains them. */
const envelopeFields = new Set(['success', 'message', 'statusCode']);

const withoutEnvelope = (schema: Schema): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !envelopeFields.has(name))),
});

/** The success response, and headers that are not on every response. */
const responseSection = ({ operation }: OperationSamples, schemas: Schemas): string => {
  const success = operation.responses['200'];
  const schema = success?.content?.['application/json']?.schema;
  const envelope = schema === undefined ? {} : resolveSchema(schema, schemas);
  const own = Object.entries(success?.headers ?? {}).filter(([, { $ref }]) => $ref === undefined);
  const headers = own.map(([name, header]) => ({ ...header, name }));
  return `<h4>Response</h4>${fieldList(withoutEnvelope(envelope), schemas)}${
    headers.length === 0 ? '' : `<h4>Response headers</h4>${parameterList(headers, schemas)}`
  }`;
};

/** Links to the descriptions of headers, which are in one list because many operations share them. */
const headerLinks = ({ operation }: OperationSamples): string => {
  const headers = operation.parameters.filter((parameter) => parameter.in === 'header');
  const links = headers.map(({ name }) => `<a href="#header-${name}">${name}</a>`);
  return links.length === 0 ? '' : `<p class="headers">Request headers: ${links.join(' ')}</p>`;
};

const errorLinks = ({ operation }: OperationSamples): string => {
  const links = Object.entries(operation.responses)
    .filter(([status]) => status !== '200')
    .map(([status, { $ref = '' }]) => `<a href="#error-${referencedName($ref)}">${status}</a>`);
  return links.length === 0 ? '' : `<p class="errors">Errors: ${links.join(' ')}</p>`;
};

/** An HTTP method as a badge. */
export const methodBadge = (method: string): string => `<span class="method ${method.toLowerCase()}">${method}</span>`;

/** Everything about one operation. */
export const operationSection = (samples: OperationSamples, schemas: Schemas): string => {
  const { operation } = samples;
  const { operationId, method, path, summary, description = '', body, responses } = operation;
  const example = responses['200']?.content?.['application/json']?.example;
  const fields = body === undefined ? '' : `<h4>Body</h4>${fieldList(resolveSchema(body.schema, schemas), schemas)}`;
  return `<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="text"><h3 id="${operationId}-title"><a href="#${operationId}">${escapeHtml(summary)}</a></h3>
<p class="endpoint">${methodBadge(method)} <code>${escapeHtml(path).replaceAll('/', '/<wbr>')}</code></p>
${renderParagraphs(description)}
${parameterSections(samples, schemas)}${fields}${headerLinks(samples)}${responseSection(samples, schemas)}${errorLinks(samples)}</div>
<div class="side">${sampleBlock(samples)}${tryForm(samples)}${example === undefined ? '' : responseExample(example, operationId)}</div>
</section>`;
};
