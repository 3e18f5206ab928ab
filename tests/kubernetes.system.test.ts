import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const folder = join(root, 'docker/kubernetes');

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

const manifests = readdirSync(folder).flatMap((name) => {
  const documents = parseAllDocuments(readFileSync(join(folder, name), 'utf8'));
  return [...documents].map((document) => document.toJS() as Manifest);
});

/** The values of a key anywhere in the manifests. */
const valuesOf = (key: string, within: unknown = manifests): unknown[] => {
  if (typeof within !== 'object' || within === null) return [];
  return Object.entries(within as Record<string, unknown>).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesOf(key, value),
  ]);
};

const namesOf = (kind: string): string[] =>
  manifests.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name);

/** Compiles manifests as values of the types that are generated from Kubernetes' OpenAPI document. @returns the errors */
const compile = async (checked: readonly Manifest[]): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'crm-kubernetes.'));
  try {
    await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
    const lines = checked.map((manifest, index) => {
      const path = manifest.apiVersion === 'v1' ? 'core/v1' : manifest.apiVersion.replace('.k8s.io', '');
      const type = `import('kubernetes-types/${path}').${manifest.kind}`;
      return `export const manifest${index}: ${type} = ${JSON.stringify(manifest)};`;
    });
    await writeFile(join(directory, 'manifests.ts'), lines.join('\n'));
    const options = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--types', ''];
    const compiler = join(root, 'node_modules/typescript-7/bin/tsc');
    const running = execute(process.execPath, [compiler, ...options, 'manifests.ts'], { cwd: directory });
    return await running.then(
      ({ stdout }) => stdout,
      (error: unknown) => String((error as { stdout?: string }).stdout),
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
};

test('have the form that Kubernetes documents', async () => {
  expect(manifests.length).toBeGreaterThan(15);
  expect(await compile(manifests)).toBe('');
  const text = JSON.stringify(manifests);
  const faults = ['"livenessProbe"', '"maxReplicas"', '"podSelector"', '"runAsNonRoot":true'];
  const broken = faults.flatMap(
    (fault) => JSON.parse(text.replace(fault, fault.replace(/\w"/, 'x"').replace('true', '1'))) as Manifest[],
  );
  const errors = await compile(broken);
  for (const fault of ['livenessProbx', 'maxReplicax', 'podSelectox', 'runAsNonRoox']) expect(errors).toContain(fault);
});

test('refer to each other, to images of the Dockerfile and to variables of the manual', () => {
  const isIn = (names: readonly string[]) => (reference: unknown) =>
    names.includes((reference as { name: string }).name) ? [] : [reference];
  expect(valuesOf('secretRef').flatMap(isIn(namesOf('Secret')))).toEqual([]);
  expect(valuesOf('configMapRef').flatMap(isIn(namesOf('ConfigMap')))).toEqual([]);
  expect(valuesOf('scaleTargetRef').flatMap(isIn(namesOf('Deployment')))).toEqual([]);
  expect(valuesOf('service').flatMap(isIn(namesOf('Service')))).toEqual([]);
  const dockerfile = readFileSync(join(root, 'docker/Dockerfile'), 'utf8');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const published = new RegExp(`^ghcr.io/crm-public-api/crm-public-api/(.*):${version}$`);
  const images = valuesOf('image').map((image) => published.exec(String(image))?.[1] ?? '');
  expect(images.sort()).toEqual(['inbound-gateway', 'migrate', 'read-gateway', 'webhook-worker']);
  for (const image of images) expect(dockerfile).toMatch(new RegExp(`AS ${image}$`, 'm'));
  const manual = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const settings = [...valuesOf('data'), ...valuesOf('stringData')].flatMap((each) => Object.keys(each as object));
  expect(settings.length).toBeGreaterThan(8);
  for (const name of settings) expect(manual).toContain(`\`${name}\``);
});

test('let every process connect to names, PostgreSQL, PgBouncer, Redis and a collector, and only the worker to more', () => {
  const policies = manifests.filter(({ kind }) => kind === 'NetworkPolicy') as (Manifest & { readonly spec: object })[];
  const allowed = policies.flatMap(({ metadata, spec }) => {
    const ports = valuesOf('egress', spec).flatMap((rules) => valuesOf('ports', rules).flat()) as { port: number }[];
    return ports.length === 0 ? [] : [[metadata.name, [...new Set(ports.map(({ port }) => port))]]];
  });
  expect(Object.fromEntries(allowed)).toEqual({
    'crm-database': [53, 5432, 6432, 6379, 4318],
    'crm-webhooks': [443, 8443],
  });
});

test('give every process probes, limits and a read-only container, and bind its pods to the rules of the network', () => {
  for (const container of valuesOf('containers').flat() as Record<string, unknown>[]) {
    expect(container).toMatchObject({
      resources: {
        requests: { cpu: expect.any(String) as unknown },
        limits: { memory: expect.any(String) as unknown },
      },
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    if (container['name'] === 'migrate') continue;
    expect(container).toMatchObject({
      readinessProbe: { httpGet: { path: '/readyz' } },
      livenessProbe: { httpGet: { path: '/livez' } },
    });
  }
  const pods = valuesOf('template') as { metadata: { labels: Record<string, string> } }[];
  expect(pods).toHaveLength(4);
  for (const { metadata } of pods) expect(metadata.labels['app.kubernetes.io/part-of']).toBe('crm');
});

test('every process of a Deployment gets all settings of the ConfigMap and of its own Secret', () => {
  const containers = manifests.filter(({ kind }) => kind === 'Deployment').flatMap((each) => valuesOf('envFrom', each));
  const settings = { configMapRef: { name: 'crm-settings' } };
  expect(containers).toHaveLength(3);
  for (const sources of containers) expect(sources).toEqual(expect.arrayContaining([settings]));
});
