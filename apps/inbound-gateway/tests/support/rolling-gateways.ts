import { startGatewayProcess, type GatewayProcess } from '@crm/testing';

/** What a version of a gateway expects of its database. */
export interface ExpectedSchema {
  readonly migrations: readonly string[];
  readonly functions: string;
  readonly release: string;
}

export type GatewayKind = 'read' | 'inbound';

/** Node options that give a built gateway another list of migrations, like that of a newer version. */
const optionsOf = ({ migrations, functions, release }: ExpectedSchema): string => {
  const source = `export const migrationNames = ${JSON.stringify(migrations)};
    export const functionsDigest = ${JSON.stringify(functions)};
    export const release = ${JSON.stringify(release)};`;
  const hooks = `export const load = (url, context, next) => url.endsWith('/generated/expected-schema.js')
    ? { format: 'module', shortCircuit: true, source: ${JSON.stringify(source)} } : next(url, context);`;
  const dataUrl = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hooks))});`;
  return `--import=${dataUrl(register)}`;
};

/** Starts a built gateway; with `newer`, one of a newer version. */
export const startGatewayVersion = (
  kind: GatewayKind,
  environment: Readonly<Record<string, string>>,
  newer: ExpectedSchema | null,
  page: '/livez' | '/readyz' = '/readyz',
): Promise<GatewayProcess> =>
  startGatewayProcess(
    `${kind}-gateway`,
    { ...environment, ...(newer === null ? {} : { NODE_OPTIONS: optionsOf(newer) }) },
    page,
  );

/** Spreads requests over gateways as a proxy does: if a connection is refused, another gateway gets the request. */
export class Balancer {
  readonly #gateways: Record<GatewayKind, GatewayProcess[]> = { read: [], inbound: [] };
  #next = 0;

  add(kind: GatewayKind, gateway: GatewayProcess): void {
    this.#gateways[kind].push(gateway);
  }

  /** Stops a gateway while requests arrive, then removes it from the list. */
  async remove(kind: GatewayKind, gateway: GatewayProcess): Promise<void> {
    const exitCode = await gateway.stop();
    this.#gateways[kind] = this.#gateways[kind].filter((one) => one !== gateway);
    if (exitCode !== 0) throw new Error(`The gateway ended with ${exitCode}:\n${gateway.output()}`);
  }

  all(kind: GatewayKind): readonly GatewayProcess[] {
    return this.#gateways[kind];
  }

  async send(kind: GatewayKind, path: string, init: RequestInit): Promise<Response> {
    const gateways = this.#gateways[kind];
    const first = this.#next;
    this.#next += 1;
    for (let attempt = 0; ; attempt += 1) {
      const { url } = gateways[(first + attempt) % gateways.length] ?? { url: 'http://no-gateway.invalid' };
      try {
        return await fetch(`${url}${path}`, init);
      } catch (error) {
        const { code } = ((error as Error).cause ?? {}) as { readonly code?: string };
        if (code !== 'ECONNREFUSED' || attempt === gateways.length) throw error;
      }
    }
  }
}
