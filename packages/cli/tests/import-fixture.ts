import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach } from '@jest/globals';

import { runCrm, type CrmResult } from './run-crm.js';
import { startStubGateway, type Mischief, type StubGateway } from './stub-inbound-gateway.js';

export const pipelineId = '01890000-0000-7000-8000-000000000001';

const mapping = `
object: opportunity
pipeline_id: ${pipelineId}
fields:
  name: { column: Name }
  amount: { column: Value }
  account_domain: { column: Domain }
`;

/** A directory with a mapping, and the stub gateways of a test. */
class ImportFixture {
  readonly #gateways: StubGateway[] = [];
  directory = '';

  async create(): Promise<void> {
    this.directory = await mkdtemp(join(tmpdir(), 'crm-import-'));
    await this.write('deals.yaml', mapping);
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  write(name: string, content: string | Buffer): Promise<void> {
    return writeFile(this.path(name), content);
  }

  readRejects(): Promise<string> {
    return readFile(this.path('rejects.csv'), 'utf8');
  }

  async start(mischief?: Mischief, port?: number): Promise<StubGateway> {
    const gateway = await startStubGateway(mischief, port);
    this.#gateways.push(gateway);
    return gateway;
  }

  /** Runs `crm import` on a text with the fixture's mapping and rejects file. The default is single creates. */
  async import(
    csv: string | Buffer,
    url: string,
    more: readonly string[] = [],
    interrupt?: AbortSignal,
    output: 'json' | 'text' = 'json',
  ): Promise<CrmResult> {
    await this.write('deals.csv', csv);
    const files = ['--mapping', this.path('deals.yaml'), '--rejects', this.path('rejects.csv')];
    const gateway = ['--url', url, '--api-key', 'crm_live_x', '--batch', '1'];
    const format = output === 'json' ? ['--json'] : [];
    return runCrm(['import', this.path('deals.csv'), ...files, ...gateway, ...format, ...more], {}, interrupt);
  }

  async remove(): Promise<void> {
    await Promise.all(this.#gateways.splice(0).map((gateway) => gateway.close()));
    await rm(this.directory, { recursive: true });
  }
}

/** Creates a fixture before each test of a file, and removes it afterwards. */
export const useImportFixture = (): ImportFixture => {
  const fixture = new ImportFixture();
  beforeEach(() => fixture.create());
  afterEach(() => fixture.remove());
  return fixture;
};

/** A CSV file with the given number of deals, named `Deal 0` and so on. */
export const deals = (count: number): string => {
  const lines = Array.from({ length: count }, (_, index) => `Deal ${index},${index}.5,a${index}.com`);
  return ['Name,Value,Domain', ...lines].join('\n');
};

export const report = (result: CrmResult): Record<string, unknown> =>
  JSON.parse(result.stdout) as Record<string, unknown>;

export const nameOf = (body: Readonly<Record<string, unknown>>): string =>
  (body['opportunity'] as { name: string }).name;
