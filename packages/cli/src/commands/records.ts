import { uuidPattern } from '../administration/session.js';
import type { GivenField } from '../api/field-values.js';
import { sendOperation, type SendOptions } from '../api/send-operation.js';
import type { AddCommand } from '../command.js';
import { usageError } from '../errors.js';
import { withSendOptions } from './api.js';

/** The kinds of records, as their paths name them, with the key that finds one without its id. */
const kinds: Readonly<Record<string, { readonly path: string; readonly byKey?: string }>> = {
  account: { path: 'accounts', byKey: 'by-domain' },
  contact: { path: 'contacts', byKey: 'by-email' },
  deal: { path: 'opportunities' },
  opportunity: { path: 'opportunities' },
  note: { path: 'notes' },
};

const kindOf = (name: string) => {
  const kind = kinds[name];
  if (kind === undefined) throw usageError(`${name} is none of ${Object.keys(kinds).join(', ')}`);
  return kind;
};

/** A short name for an operation on one kind of record. */
interface Verb {
  readonly description: string;
  readonly argument?: readonly [name: string, description: string];
  readonly example: string;
  readonly request: (
    kind: { readonly path: string; readonly byKey?: string },
    text: string,
  ) => {
    readonly route: string;
    readonly fields?: readonly GivenField[];
  };
}

const textField = (name: string, text: string): GivenField => ({ name, text, isJson: false });

const verbs = {
  get: {
    description: 'show one record',
    argument: ['<id or key>', 'its id, the domain of an account, or the email of a contact'],
    example: 'get account acme.com',
    request: ({ path, byKey }, text) => ({
      route: `GET /v1/${path}/${byKey === undefined || uuidPattern.test(text) ? '' : `${byKey}/`}${encodeURIComponent(text)}`,
    }),
  },
  search: {
    description: 'find records',
    argument: ['[words]', 'words of their texts'],
    example: 'search deal renewal -f limit=10',
    request: ({ path }, text) => ({
      route: path === 'notes' ? 'GET /v1/notes' : `POST /v1/${path}/search`,
      fields: text === '' ? [] : [textField('query', text)],
    }),
  },
  create: {
    description: 'create a record, or find the one that exists',
    example: 'create contact -f email=ann@acme.com -f first_name=Ann',
    request: ({ path }) => ({ route: `POST /v1/inbound/${path}` }),
  },
  update: {
    description: 'change one record',
    argument: ['<id>', 'its id'],
    example: 'update account ID -f name=Acme',
    request: ({ path }, text) => ({ route: `PATCH /v1/inbound/${path}/${encodeURIComponent(text)}` }),
  },
} as const satisfies Readonly<Record<string, Verb>>;

/** Makes `crm get`, `search`, `create` or `update`. */
export const recordCommand =
  (name: keyof typeof verbs): AddCommand =>
  (program, context) => {
    const { description, argument, example, request }: Verb = verbs[name];
    const command = program
      .command(name)
      .description(description)
      .argument('<object>', Object.keys(kinds).join(', '))
      .addHelpText(
        'after',
        `\nThe same as crm api, which says more about -f: crm api --help\n\nExample:\n  $ crm ${example}`,
      );
    if (argument !== undefined) command.argument(...argument);
    withSendOptions(command).action(async (object: string, text?: string | object) => {
      const { route, fields = [] } = request(kindOf(object), typeof text === 'string' ? text : '');
      const [method = '', path = ''] = route.split(' ');
      const { findOperation } = await import('../api/find-operation.js');
      const contract = findOperation(method, path);
      await sendOperation(context, command.opts<SendOptions>(), { contract, path }, fields);
    });
  };
