import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { installPython, publishTestStack, readTestStack } from '@crm/testing';
import { afterAll, beforeAll } from '@jest/globals';

const documents = fileURLToPath(new URL('../../../../docs/openapi/', import.meta.url));
const requirements = fileURLToPath(new URL('../tools/documents/requirements.txt', import.meta.url));
const program = fileURLToPath(new URL('document_validator.py', import.meta.url));
/** Guards against hangs only: the first run installs the validator. */
const timeoutMs = 600_000;

/** What openapi-core and a gateway said of one request. */
export interface Verdict {
  readonly request: string;
  readonly body: string;
  /** Why the document refuses the request. */
  readonly refusals: readonly string[];
  readonly status: number;
  readonly answer: string;
  /** Why the document refuses the response. */
  readonly faults: readonly string[];
}

const running: ChildProcess[] = [];
let addresses: readonly string[] = [];

const startValidator = async (gateway: string, target: string): Promise<string> => {
  const python = join(await installPython(requirements), 'python');
  const args = [program, join(documents, `${gateway}-gateway.json`), target];
  const validator = spawn(python, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(validator);
  const [address] = (await once(createInterface({ input: validator.stdout }), 'line')) as [string];
  return address;
};

/** The verdicts since the last call. */
export const takeVerdicts = async (): Promise<Verdict[]> => {
  const taken = addresses.map(async (address) => (await (await fetch(`${address}/verdicts`)).json()) as Verdict[]);
  return (await Promise.all(taken)).flat();
};

/** Puts a validator before each gateway, for the tests and hooks that follow in a file. */
export const useValidators = (): void => {
  const stack = readTestStack();
  beforeAll(async () => {
    const readUrl = await startValidator('read', stack.readUrl);
    const inboundUrl = await startValidator('inbound', stack.inboundUrl);
    addresses = [readUrl, inboundUrl];
    publishTestStack({ ...stack, readUrl, inboundUrl });
  }, timeoutMs);
  afterAll(async () => {
    publishTestStack(stack);
    for (const validator of running) {
      validator.kill();
      await once(validator, 'exit');
    }
  });
};
