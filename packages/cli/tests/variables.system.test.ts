import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWithNames } from '@crm/http';
import { envToConfig as inboundConfig } from '@crm/inbound-gateway';
import { envToConfig as readConfig } from '@crm/read-gateway';
import { envToConfig as workerConfig } from '@crm/webhook-worker';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const shipped = join(root, 'docker');
const composeFiles = ['compose.yaml', 'compose.replica.yaml', 'compose.observability.yaml', 'compose.citus.yaml'];

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
}

const required = {
  DATABASE_URL: 'postgres://crm@localhost/crm',
  CURSOR_SECRETS: 'a secret of the cursors',
  WEBHOOK_SECRET_KEY: Buffer.alloc(32).toString('base64'),
};
/** The variables that each process reads. */
const readBy = {
  'read-gateway': readWithNames(required, readConfig).names,
  'inbound-gateway': readWithNames(required, inboundConfig).names,
  'webhook-worker': readWithNames(required, workerConfig).names,
};

describe('the variables of the processes', () => {
  // The images set these, because the proxy and the probes know them.
  const fixed = ['HOST', 'PORT'];
  const names = new Set(Object.values(readBy).flat());

  test.each(Object.entries(readBy))('compose.yaml gives the %s each that it reads', async (name, read) => {
    const { services } = parse(await readFile(join(shipped, 'compose.yaml'), 'utf8'), { merge: true }) as {
      services: Record<string, Service>;
    };
    const given = Object.keys(services[name]?.environment ?? {});
    expect(read.filter((variable) => !given.includes(variable) && !fixed.includes(variable))).toEqual([]);
    const standard = /^OTEL_/;
    expect(given.filter((variable) => !read.includes(variable) && !standard.test(variable))).toEqual([]);
  });

  test('docs/operating.md describes each', async () => {
    const page = await readFile(join(root, 'docs/operating.md'), 'utf8');
    expect([...names].filter((variable) => !page.includes(`\`${variable}\``))).toEqual([]);
  });

  test('.env.example has each that the compose files take, because compose warns about others', async () => {
    const texts = await Promise.all(composeFiles.map((file) => readFile(join(shipped, file), 'utf8')));
    const taken = new Set([...texts.join('\n').matchAll(/\$\{(\w+)/g)].map(([, variable = '']) => variable));
    const example = await readFile(join(shipped, '.env.example'), 'utf8');
    expect([...taken].filter((variable) => !new RegExp(`\\b${variable}=`).test(example))).toEqual([]);
    // podman-compose 1.0.3 passes a variable with an empty default on as it is written.
    expect(texts.join('\n')).not.toContain(':-}');
  });
});
