import { findFreePort, type GatewayProcess, startGatewayProcess } from '@crm/testing';

/** A gateway in a separate process, whose turns can be measured. */
export interface ProbedGateway extends GatewayProcess {
  /** Runs `work`. @returns its result, and the processor time of the longest turn of the gateway meanwhile, in ms */
  readonly measure: <T>(work: () => Promise<T>) => Promise<{ readonly result: T; readonly longestMs: number }>;
}

const probeFile = new URL('./turn-probe.mjs', import.meta.url).href;

/** Starts a gateway with the probe of `turn-probe.mjs`. */
export const startProbedGateway = async (
  app: 'read-gateway' | 'inbound-gateway',
  environment: Readonly<Record<string, string>>,
): Promise<ProbedGateway> => {
  const port = await findFreePort();
  const probe = { NODE_OPTIONS: `--import=${probeFile}`, TURN_PROBE_PORT: String(port) };
  const gateway = await startGatewayProcess(app, { ...environment, ...probe });
  const askProbe = async (path: string): Promise<number> =>
    Number(await (await fetch(`http://127.0.0.1:${port}${path}`)).text());
  return {
    ...gateway,
    measure: async (work) => {
      await askProbe('/start');
      const result = await work();
      return { result, longestMs: await askProbe('/stop') };
    },
  };
};
