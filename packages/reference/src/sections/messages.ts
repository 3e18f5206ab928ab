import type { OpenApiDocument, OperationObject } from '../document.js';
import { highlight } from '../highlight.js';
import { codeBlock, escapeHtml, renderParagraphs } from '../html.js';
import { fieldList, parameterList, resolveSchema, type Schemas } from './fields.js';

/** Every message of a document that is posted to receivers of webhooks. */
export const listMessages = ({ webhooks = {} }: OpenApiDocument): readonly OperationObject[] =>
  Object.values(webhooks).flatMap((item) => Object.values(item));

const messageText = (
  { operationId, summary, description = '', parameters = [], requestBody }: OperationObject,
  schemas: Schemas,
) => {
  const content = requestBody?.content['application/json'];
  const fields = content === undefined ? '' : fieldList(resolveSchema(content.schema, schemas), schemas);
  const example = highlight(JSON.stringify(content?.example, null, 2), 'json');
  return `<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
<div class="text"><h3 id="${operationId}-title"><a href="#${operationId}">${escapeHtml(summary)}</a></h3>
${renderParagraphs(description)}
<h4>Headers</h4>${parameterList(parameters, schemas)}<h4>Body</h4>${fields}</div>
<div class="side"><div class="code"><div class="bar"><span>Message</span></div>${codeBlock(example, `Body of ${operationId}`)}</div></div>
</section>`;
};

/** The messages that receivers of webhooks get; empty if the document has none. */
export const messageSection = (messages: readonly OperationObject[], schemas: Schemas): string =>
  messages.length === 0
    ? ''
    : `<section class="resource" aria-label="Webhook messages"><div class="wide"><h2>Webhook messages</h2><p>What the webhook worker posts to your address.</p></div>
${messages.map((message) => messageText(message, schemas)).join('\n')}</section>`;
