import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '@crm/cli';

/** The result of a command line. */
export interface CrmResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process. `interrupt` has the effect of Ctrl-C. */
export const runCrm = async (
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
  interrupt: AbortSignal = new AbortController().signal,
): Promise<CrmResult> => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const texts = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await runCli(args, { env, stdout, stderr, onInterrupt: () => interrupt });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { exitCode, stdout: out, stderr: err };
};
