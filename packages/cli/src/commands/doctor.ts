import type { Command } from 'commander';

import { findDatabaseUrl, withAdministrationOptions, type AdministrationOptions } from '../administration/session.js';
import { printResult, type CliContext } from '../cli-context.js';
import { checkConfiguration } from '../doctor/check-configuration.js';
import { checkPrimary, checkReplica } from '../doctor/check-databases.js';
import { checkGateway, checkRedis } from '../doctor/check-network.js';
import { ok, type Finding } from '../doctor/finding.js';
import { CliError, exitCodes } from '../errors.js';
import { dataDirectory, readDemoFile, type DemoFile } from '../local-stack/demo-file.js';
import { httpUrl, wholeNumber } from '../options.js';

const help = `
For the local stack (crm start) it needs no options. For other installations, set the environment variables of the gateways:
DATABASE_URL, CURSOR_SECRETS, and READ_DATABASE_URL, REDIS_URL and WEBHOOK_SECRET_KEY if they are used.
It changes nothing. Exit code 0: no problem, perhaps warnings; 1: at least one problem.

Examples:
  $ crm doctor
  $ crm doctor --read-url http://127.0.0.1:4000 --inbound-url http://127.0.0.1:4001
  $ crm doctor --processes 4 --json`;

interface DoctorOptions extends AdministrationOptions {
  readonly readUrl?: string;
  readonly inboundUrl?: string;
  readonly processes: number;
}

/** Adds `crm doctor`. */
export const addDoctorCommand = (program: Command, context: CliContext): void => {
  const command = program
    .command('doctor')
    .description('check configuration, databases and gateways, and print advice')
    .option('--read-url <url>', 'a read gateway to check', httpUrl)
    .option('--inbound-url <url>', 'an inbound gateway to check', httpUrl)
    .option('--processes <n>', 'processes of each gateway, to check their connection pools', wholeNumber(1, 1000), 1)
    .addHelpText('after', help);
  withAdministrationOptions(command).action(async (options: DoctorOptions) => {
    const findings = await examine(context, options);
    const isWell = findings.every(({ status }) => status !== 'problem');
    printResult(context, options, { json: { ok: isWell, findings }, text: findings.map(toLines).join('\n') });
    if (!isWell) throw new CliError('', exitCodes.failure);
  });
};

/**
 * The local stack, if no database is given or the given one is its own. Its gateways need no settings from the user.
 */
const findLocalStack = async ({ env }: CliContext, { databaseUrl }: DoctorOptions): Promise<DemoFile | undefined> => {
  const named = databaseUrl ?? env['DATABASE_URL'] ?? '';
  if (named === '') return readDemoFile(dataDirectory(env));
  // The user may name another database, so a damaged demo file does not matter.
  const demo = await readDemoFile(dataDirectory(env)).catch(() => undefined);
  return demo?.database_url === named ? demo : undefined;
};

/** The superuser is expected here: it is the only role of the local stack, and only this machine can connect. */
const ofLocalStack = (finding: Finding): Finding =>
  finding.check === 'role' ? ok('role', 'the superuser of the local stack') : finding;

const examine = async (context: CliContext, given: DoctorOptions): Promise<readonly Finding[]> => {
  const demo = await findLocalStack(context, given);
  const options = demo === undefined ? given : { readUrl: demo.read_url, inboundUrl: demo.inbound_url, ...given };
  const url = await findDatabaseUrl(context, options);
  const env = {
    ...(demo === undefined ? {} : { CURSOR_SECRETS: 'of the local stack' }),
    ...context.env,
    DATABASE_URL: url,
  };
  const read = await checkConfiguration('read-gateway', env);
  const inbound = await checkConfiguration('inbound-gateway', env);
  const worker = context.env['WEBHOOK_SECRET_KEY'] ? await checkConfiguration('webhook-worker', env) : undefined;
  const sizes = {
    perProcess: [read.maxConnections, inbound.maxConnections],
    processes: options.processes,
    eventRetentionDays: inbound.eventRetentionDays ?? 0,
  };
  const { READ_DATABASE_URL: replica, REDIS_URL: redis } = context.env;
  const checks = await Promise.all([
    checkPrimary(url, sizes).then((found) => (demo === undefined ? found : found.map(ofLocalStack))),
    replica ? checkReplica(replica) : [],
    redis ? checkRedis(redis) : [],
    options.readUrl === undefined ? [] : checkGateway('read gateway', options.readUrl),
    options.inboundUrl === undefined ? [] : checkGateway('inbound gateway', options.inboundUrl),
  ]);
  return [...read.findings, ...inbound.findings, ...(worker?.findings ?? []), ...checks.flat()];
};

const toLines = ({ check, status, message, advice }: Finding): string => {
  const line = `${status.padEnd(8)} ${check}: ${message}`;
  return advice === undefined ? line : `${line}\n         ${advice}`;
};
