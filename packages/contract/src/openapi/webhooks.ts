import { exampleOf } from '../schemas/build.js';
import { messageHeaders, webhookMessages } from '../schemas/webhook-message.js';
import type { JsonSchema } from '../validate/schema-walk.js';
import type { Json } from './json.js';
import type { SchemaComponents } from './schema-components.js';

const headerParameters = (components: SchemaComponents): readonly Json[] =>
  Object.entries(messageHeaders).map(([name, header]) => {
    const { description, ...schema } = components.place(header as object as JsonSchema, 'response');
    return { name, in: 'header', required: true, description, schema };
  });

const responses: Json = {
  '2XX': { description: 'The message was received.' },
  '410': { description: 'The receiver wants no more messages: the webhook is disabled.' },
  '429': { description: 'Too fast: the worker waits as long as `Retry-After` asks.' },
  '4XX': { description: 'The message is sent again later.' },
  '5XX': { description: 'The message is sent again later.' },
};

/** The messages that the webhook worker posts to receivers, in OpenAPI form. Their schemas go to `components`. */
export const webhookObjects = (components: SchemaComponents): Json =>
  Object.fromEntries(
    Object.entries(webhookMessages).map(([name, { summary, description, body }]) => [
      name,
      {
        post: {
          operationId: `${name}Message`,
          // A tag of its own: generators put the calls of a tag into one file, and would write these over those of /v1/webhooks.
          tags: ['Messages'],
          summary,
          description,
          security: [],
          parameters: headerParameters(components),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: components.place(body as object as JsonSchema, 'response'),
                example: exampleOf(body),
              },
            },
          },
          responses,
        },
      },
    ]),
  );
