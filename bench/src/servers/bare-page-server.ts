import { createServer } from 'node:http';
import postgres from 'postgres';

/**
 * A minimal server in Node. It runs one prepared statement per page, whose only value is the joined records, and sends that between two
 * texts.
 */
const page = JSON.parse(process.env['PAGE'] ?? '') as {
  readonly head: string;
  readonly tail: string;
  readonly text: string;
  readonly values: string[];
};
const head = Buffer.from(page.head);
const tail = Buffer.from(page.tail);

const sql = postgres(process.env['DATABASE_URL'] ?? '', { max: 10, fetch_types: false });

const server = createServer((_request, response) => {
  sql
    .unsafe(page.text, page.values, { prepare: true })
    .raw()
    .then(
      ([row]) => {
        const body = Buffer.concat([head, row?.[0] ?? Buffer.alloc(0), tail]);
        response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': body.length });
        response.end(body);
      },
      () => {
        response.writeHead(500);
        response.end();
      },
    );
});

server.listen(Number(process.env['PORT']), '127.0.0.1');
