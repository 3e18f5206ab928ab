import { pathWithQuery } from './curl.js';
import { type Notation, writeLiteral } from './literals.js';
import { isNumeric, type SampleRequest } from './sample-request.js';

const notation: Notation = {
  variable: (name) => (isNumeric(name) ? `int(os.environ["${name}"])` : `os.environ["${name}"]`),
  text: (text) => JSON.stringify(text),
  key: (name) => JSON.stringify(name),
  words: { null: 'None', true: 'True', false: 'False' },
  padding: '',
};

/** The sample for Python, with the standard library only. */
export const pythonSample = (request: SampleRequest): string => {
  const { method, gateway, needsKey, body } = request;
  const url = `$${gateway}${pathWithQuery(request)}`.replaceAll(/\$([A-Z_]+)/g, "{os.environ['$1']}");
  const headers = [
    ...(needsKey ? ['"x-api-key": os.environ["CRM_API_KEY"]'] : []),
    ...(body === undefined ? [] : ['"content-type": "application/json"']),
  ];
  const lines = [
    `f"${url}",`,
    `method="${method}",`,
    ...(headers.length > 0 ? [`headers={${headers.join(', ')}},`] : []),
    ...(body === undefined ? [] : ['data=json.dumps(body).encode(),']),
  ];
  return [
    'import json',
    'import os',
    'import urllib.request',
    '',
    ...(body === undefined ? [] : [`body = ${writeLiteral(body, notation)}`]),
    'request = urllib.request.Request(',
    ...lines.map((line) => `  ${line}`),
    ')',
    'with urllib.request.urlopen(request) as response:',
    '  print(json.load(response))',
  ]
    .join('\n')
    .replaceAll(/^( +)/gm, '$1$1');
};
