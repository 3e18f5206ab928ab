// Writes docs/openapi/*.json from the contracts, or with `--check` compares the files with them.
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

import { format, resolveConfig } from 'prettier';

import { buildOpenApiDocument, inboundOperations, readOperations } from '../dist/index.js';

const folder = fileURLToPath(new URL('../../../docs/openapi/', import.meta.url));
// The addresses of `npm start`: tools that read a file, such as Postman, need a whole address.
const documents = {
  'read-gateway.json': buildOpenApiDocument('read', readOperations, { serverUrl: 'http://127.0.0.1:4000' }),
  'inbound-gateway.json': buildOpenApiDocument('inbound', inboundOperations, { serverUrl: 'http://127.0.0.1:4001' }),
  // The address of the proxy of docker/compose.yaml.
  'both-gateways.json': buildOpenApiDocument('both', [...readOperations, ...inboundOperations], {
    serverUrl: 'http://127.0.0.1:8080',
  }),
};

for (const [name, document] of Object.entries(documents)) {
  const path = `${folder}${name}`;
  const text = await format(JSON.stringify(document, null, 2), { ...(await resolveConfig(path)), filepath: path });
  if (!process.argv.includes('--check')) await writeFile(path, text);
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
    process.exitCode = 1;
    console.error(`docs/openapi/${name} is not what the contracts say. Run: npm run reference`);
  }
}
