// Lists every test file of the repository, with its properties from its name and text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { filesIn, root } from './repository-files.mjs';

/**
 * @typedef {object} TestFile
 * @property {string} path from the root of the repository
 * @property {'test' | 'system' | 'soak'} tier the first command that runs it
 * @property {boolean} isUnit needs no database
 * @property {boolean} usesGateways needs the gateways that all files share
 * @property {boolean} hasSoakSize runs more cases in the soak tier
 * @property {readonly string[]} needs names of programs.mjs
 * @property {boolean} isOnCitus can run on a database that Citus distributes: it uses only the database and gateways in its process
 * @property {readonly string[]} requirements R-numbers it reports figures for
 */

const tierOf = (path) => /\.(system|soak)\.test\.ts$/.exec(path)?.[1] ?? 'test';

/** Unit tests are those beside their source, and those of `http`, which knows no database. */
const isUnit = (path) => /^packages\/(http\/|[^/]+\/src\/)/.test(path);

/** What system tests use to start processes, or servers of their own. The addresses of these know nothing of Citus. */
const ownServers =
  /\b(\w*GatewayProcess|startOwnStack|startCountedGateways|startProgram|execFile|spawn|describe(DatabaseFaults|Traces|Turns))\b/;

const isOnCitus = (path, text, needs) =>
  /^(packages\/db|apps)\//.test(path) &&
  !/@not-on-citus /.test(text) &&
  (tierOf(path) === 'test' || (needs.length === 0 && !ownServers.test(text)));

const describeFile = (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  const needs = /@needs ([^*\n]+)/.exec(text)?.[1]?.trim().split(/\s+/) ?? [];
  return {
    path,
    tier: tierOf(path),
    isUnit: isUnit(path),
    usesGateways: /\b(startTestGateway|useGateway|useSmallOrganization|readTestStack)\b/.test(text),
    hasSoakSize: /\b(testSize|propertyRuns)\(/.test(text),
    needs,
    isOnCitus: isOnCitus(path, text, needs),
    requirements: [...new Set([...text.matchAll(/reportFigure\(\s*'(R\d+)'/g)].map(([, number]) => number))],
  };
};

/** @returns {readonly TestFile[]} */
export const listTestFiles = () =>
  filesIn('')
    .filter((path) => path.endsWith('.test.ts'))
    .map(describeFile);

/** Which files each tier runs. */
export const isInTier = {
  database: (file) => file.tier === 'test' && !file.isUnit,
  citus: (file) => file.tier !== 'soak' && !file.isUnit && file.isOnCitus,
  test: (file) => file.tier === 'test',
  system: (file) => file.tier === 'system',
  soak: (file) => file.tier === 'soak' || file.hasSoakSize,
  any: () => true,
};
