import { type DistributionFacts, type WorkerFacts, workerSettings } from '@crm/db';

import { ok, problem, type Finding, warning } from './finding.js';

const distributeAdvice = 'Run crm distribute on the coordinator as a superuser.';

const checkWorker = ({ name, settings }: WorkerFacts): Finding => {
  const check = `worker ${name}`;
  if (settings === null) {
    return problem(check, 'the coordinator cannot query it', 'See pg_dist_node, its pg_hba.conf and its log.');
  }
  const off = workerSettings.durability.filter((setting) => settings[setting] === 'off');
  if (off.length > 0) {
    const advice = `Turn it on there (ALTER SYSTEM SET … = on; SELECT pg_reload_conf()): a crash would lose acknowledged writes.`;
    return problem(check, `off: ${off.join(', ')}`, advice);
  }
  const missing = workerSettings.limits.filter((setting) => settings[setting] === '0');
  if (missing.length === 0) return ok(check, 'time limits and durability are on');
  const advice =
    'Run crm roles apply on the coordinator and give the gateways these roles: it sets the limits on all workers.';
  return problem(check, `this role has no ${missing.join(', ')} on this worker`, advice);
};

/** Checks whether Citus reuses the plans of writes. If it does not and sessions cache plans, they keep every one of them. */
const checkPlans = ({ version, reusesPlans }: DistributionFacts['citus'], cachesPlans: boolean): Finding => {
  if (reusesPlans && cachesPlans) return ok('plans', `Citus ${version} reuses the plans of writes`);
  if (reusesPlans) {
    const message = `Citus ${version} reuses plans, but the write functions do not allow it: writes take longer`;
    return warning('plans', message, distributeAdvice);
  }
  if (cachesPlans) {
    const message = `sessions keep a new plan at each write, because Citus ${version} does not reuse plans: their memory grows`;
    return problem('plans', message, distributeAdvice);
  }
  const message = `Citus ${version} plans the statements of a write at each call, so writes take longer`;
  return warning('plans', message, 'docs/how-to/move-to-citus.md says what that costs.');
};

/** Checks a database that Citus distributes. */
export const checkDistribution = ({
  cachesPlans,
  citus,
  apart,
  undelegated,
  isWriteDelegated,
  workers,
}: DistributionFacts): readonly Finding[] => [
  apart.length === 0
    ? ok('distribution', 'all tables with an organization are distributed together')
    : problem('distribution', `not colocated with accounts: ${apart.join(', ')}`, distributeAdvice),
  isWriteDelegated && undelegated.length === 0
    ? ok('delegation', 'writes run on the workers')
    : problem(
        'delegation',
        `these functions run on the coordinator: ${undelegated.join(', ') || 'write'}`,
        distributeAdvice,
      ),
  checkPlans(citus, cachesPlans),
  ...workers.map(checkWorker),
];
