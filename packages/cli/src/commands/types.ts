import type { CrmClient, Field } from '@crm/client';
import type { Command } from 'commander';

import {
  connectClient,
  findReadGateway,
  gatewayErrorText,
  type GatewayOptions,
  withGatewayOptions,
} from '../api/gateways.js';
import { type CliContext, jsonLine, printable } from '../cli-context.js';
import { CliError } from '../errors.js';
import { collections } from '../import/targets.js';
import { listActiveFields } from '../setup/lookup.js';

const examples = `
Prints the type parameter of createClient of @crm/client, so that the compiler checks slugs, options and values.

Examples:
  For the local stack (crm start):
    $ crm types > crm-fields.ts
    $ crm types --json-schema > crm-schema.json

With --json-schema it prints the JSON Schema of all records, one under each name of $defs, for generators and tools of other
languages.

The key needs the group list. Hidden fields are included, archived ones are not.`;

/** Adds `crm types`. */
export const addTypesCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('types')
    .description('write the custom fields of an organization as TypeScript')
    .option('--json-schema', 'write the JSON Schema of the records instead')
    .addHelpText('after', examples);
  withGatewayOptions(command, 'read').action(async (options: GatewayOptions & { readonly jsonSchema?: true }) => {
    const write = options.jsonSchema === true ? jsonSchema : customFieldTypes;
    const { url, apiKey } = await findReadGateway(context, options);
    try {
      context.stdout.write(await write(connectClient({ readUrl: url, apiKey })));
    } catch (error) {
      throw new CliError(gatewayErrorText({ name: 'read gateway', url, option: '--url', groups: 'list' }, error));
    }
  });
};

const valueTypes: Partial<Record<Field['attribute_type'], string>> = {
  number: 'number',
  currency: 'number',
  percentage: 'number',
  rating: 'number',
  checkbox: 'boolean',
  date: 'CrmDate',
  datetime: 'CrmDate',
  timestamp: 'CrmDate<number>',
  date_range: 'CrmDateRange',
  location: 'CrmLocation',
  team_members: 'string[]',
};

const typeOf = ({ attribute_type: type, metadata }: Field): string => {
  const options = metadata?.options?.map(({ value }) => jsonLine(value)).join(' | ');
  if (options === undefined) return valueTypes[type] ?? 'string';
  return type === 'multi_select' ? `(${options})[]` : options;
};

/** One JSON Schema with the schemas of all records. */
const jsonSchema = async (client: CrmClient): Promise<string> => {
  const schemas: [string, unknown][] = [];
  let draft: unknown;
  for (const [object, calls] of [
    ['opportunity', client.opportunities],
    ['account', client.accounts],
    ['contact', client.contacts],
    ['note', client.notes],
  ] as const) {
    const { $schema, ...schema } = (await calls.schema()).data.schema;
    draft = $schema;
    schemas.push([object, schema]);
  }
  return `${JSON.stringify({ $schema: draft, $defs: Object.fromEntries(schemas) }, null, 2)}\n`;
};

/** The module with the interface `CustomFields`. */
const customFieldTypes = async (client: CrmClient): Promise<string> => {
  let body = '';
  for (const object of ['opportunity', 'account', 'contact'] as const) {
    const fields = (await listActiveFields(client, object)).map((field) => {
      const about = printable(`${field.current_name} (${field.attribute_type})`).replaceAll('*/', '* /');
      return `    /** ${about} */\n    ${field.name}?: ${typeOf(field)};\n`;
    });
    body += `  ${collections[object]}: ${fields.length === 0 ? 'object' : `{\n${fields.join('')}  }`};\n`;
  }
  const imports = ['CrmDate', 'CrmDateRange', 'CrmLocation'].filter((name) => new RegExp(`: ${name}[;<]`).test(body));
  const head = imports.length === 0 ? '' : `import type { ${imports.join(', ')} } from '@crm/client';\n\n`;
  return `// The custom fields of the organization. Written by \`crm types\`.\n${head}export interface CustomFields {\n${body}}\n`;
};
