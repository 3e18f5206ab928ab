// One unit of fixed work of the sorts that tests do. Prints the processor seconds that it took.
// A change of the work changes the budget in processor-time.mjs.
import { spawnSync } from 'node:child_process';
import ajv2020 from 'ajv/dist/2020.js';
import pg from 'pg';
import { startOwnPostgres } from '../dist/own-postgres.js';
import { processorSeconds } from './processor-seconds.cjs';

const numbers = (count) => Array.from({ length: count }, (_, index) => index);

/** A table like those of records: keys, a normalized text with an index, and a document. */
const fill = `
  CREATE TABLE records (organization_id uuid, id uuid, name text, position int, record jsonb, PRIMARY KEY (organization_id, id));
  CREATE INDEX ON records (organization_id, name, id);
  CREATE FUNCTION insert_record(number int) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO records VALUES (md5('0')::uuid, md5(number::text)::uuid, md5(number::text), number,
      jsonb_build_object('name', md5(number::text), 'tags', jsonb_build_array('one', 'two', number)));
  END $$`;
const select = `SELECT record, (SELECT count(*) FROM records o WHERE o.name < r.name) FROM records r
  WHERE organization_id = md5('0')::uuid AND name > md5($1::text) ORDER BY name, id LIMIT 50`;

/** Creates a cluster, starts a server on it, writes records one by one, and reads pages of them. */
const usePostgres = async () => {
  const server = await startOwnPostgres({ fsync: 'off', synchronous_commit: 'off', autovacuum: 'off' });
  const client = new pg.Client(server.url);
  await client.connect();
  await client.query(fill);
  for (const number of numbers(300)) await client.query('SELECT insert_record($1)', [number]);
  for (const number of numbers(30)) await client.query(select, [number]);
  await client.end();
  await server.stop();
};

const schemaOf = (index) => ({
  type: 'object',
  additionalProperties: false,
  required: ['id'],
  properties: Object.fromEntries(
    numbers(20).map((field) => [
      field === 0 ? 'id' : `field_${index}_${field}`,
      {
        anyOf: [
          { type: 'string', maxLength: 255, pattern: '^[^\\s]' },
          { type: 'integer', minimum: field },
        ],
      },
    ]),
  ),
});

/** Compiles schemas. */
const compileSchemas = () => {
  const ajv = new ajv2020.Ajv2020({ allErrors: true });
  for (const index of numbers(30)) ajv.compile(schemaOf(index));
};

/** Writes and reads JSON, and searches it with regular expressions. */
const useTexts = () => {
  for (const round of numbers(400)) {
    const text = JSON.stringify(
      numbers(500).map((index) => ({ id: `${round}-${index}`, name: `Name ${index}`, index })),
    );
    for (const { name } of JSON.parse(text)) name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
    text.match(/"(?:[^"\\]|\\.)*":\s*"?\d+/g);
  }
};

/** Starts processes. */
const startProcesses = () => {
  for (const code of ['0', '1', '2']) spawnSync(process.execPath, ['--eval', code]);
};

await usePostgres();
compileSchemas();
useTexts();
startProcesses();
console.log(processorSeconds());
