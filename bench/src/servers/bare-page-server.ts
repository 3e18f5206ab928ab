import { createServer } from 'node:http';
import pg from 'pg';

/** The least that a server in Node can do for a page: one prepared statement, and its records between two texts. */
const { limit, head, tail, text, values } = JSON.parse(process.env['PAGE'] ?? '') as {
  readonly limit: number;
  readonly head: string;
  readonly tail: string;
  readonly text: string;
  readonly values: unknown[];
};

const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

const server = createServer((_request, response) => {
  pool.query<{ record_bytes: string }>({ name: 'page', text, values }).then(
    ({ rows }) => {
      const records = rows.slice(0, limit).map((row) => row.record_bytes);
      const body = `${head}${records.join(',')}${tail}`;
      response.writeHead(200, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': Buffer.byteLength(body),
      });
      response.end(body);
    },
    () => {
      response.writeHead(500);
      response.end();
    },
  );
});

server.listen(Number(process.env['PORT']), '127.0.0.1');
