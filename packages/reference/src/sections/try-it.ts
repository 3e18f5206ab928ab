import { escapeHtml } from '../html.js';
import { bodyText } from '../samples/sample-request.js';
import type { OperationSamples } from '../samples/samples.js';

/** A field of the form; its text may contain variables such as `$ACCOUNT_ID`. */
const input = (id: string, name: string, place: string, value: string, isRequired: boolean): string =>
  `<label for="${id}-${name}"><code>${escapeHtml(name)}</code> <span class="type">${place}${isRequired ? ', required' : ''}</span></label>
<input id="${id}-${name}" name="${escapeHtml(name)}" data-in="${place}" value="${escapeHtml(value)}" autocomplete="off" spellcheck="false"${isRequired ? ' required' : ''}>`;

/** The form that sends an operation's request from the page; the script reads it. */
export const tryForm = ({ operation, request }: OperationSamples): string => {
  const { operationId, method, path, parameters, needsKey } = operation;
  const id = `try-${operationId}`;
  const segments = path.split('/');
  const filled = request.path.split('/');
  const values = new Map<string, string>(request.query.map(([name, value]) => [name, String(value)]));
  for (const [index, segment] of segments.entries()) {
    if (segment.startsWith('{')) values.set(segment.slice(1, -1), filled[index] ?? '');
  }
  const inputs = parameters.map(({ name, in: place, required = false }) =>
    input(id, name, place, values.get(name) ?? '', required),
  );
  const body =
    request.body === undefined
      ? ''
      : `<label for="${id}-body">Body</label>
<textarea id="${id}-body" name="body" rows="8" spellcheck="false">${escapeHtml(bodyText(request.body))}</textarea>`;
  return `<details class="try"><summary>Try it</summary>
<form data-method="${method}" data-path="${escapeHtml(path)}" data-key="${String(needsKey)}">
${inputs.join('\n')}
${body}
<button type="submit">Send request</button>
<div class="answer" role="status" aria-live="polite"></div>
</form></details>`;
};
