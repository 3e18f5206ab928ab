import { bodyText, type SampleRequest, variableOf } from './sample-request.js';

const encode = (value: string | number): string =>
  variableOf(value) === null ? encodeURIComponent(value) : String(value);

/** `/v1/accounts?limit=2`. */
export const pathWithQuery = ({ path, query }: SampleRequest): string =>
  query.length === 0 ? path : `${path}?${query.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`;

/** Escapes JSON for a here-document. The shell expands the variables in it, so every other `$` is escaped. */
const shellText = (json: string): string => json.replaceAll(/[\\`]|\$(?![A-Z][A-Z_]*["\n])/g, '\\$&');

/** The sample for a shell. */
export const curlSample = (request: SampleRequest): string => {
  const usual = request.body === undefined ? 'GET' : 'POST';
  const method = request.method === usual ? '' : `-X ${request.method}`;
  const lines = [`curl -sS --fail-with-body ${method}`.trimEnd(), `"$${request.gateway}${pathWithQuery(request)}"`];
  if (request.needsKey) lines.push('-H "x-api-key: $CRM_API_KEY"');
  if (request.body === undefined) return lines.join(' \\\n  ');
  lines.push("-H 'content-type: application/json'", '-d @- <<END');
  return `${lines.join(' \\\n  ')}\n${shellText(bodyText(request.body))}\nEND`;
};
