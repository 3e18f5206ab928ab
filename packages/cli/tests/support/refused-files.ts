/** The setup before each of {@link refusedFiles}. The stage Used has an opportunity with values of both fields. */
export const refusingSetup = `pipelines: [{ name: Last, stages: [{ label: Only }, { label: Used }] }]
fields:
  - { object: account, slug: size, name: Size, type: select, options: [Small, Large] }
  - { object: account, slug: old, name: Old, type: currency, currency: EUR, archived: true }
  - { object: opportunity, slug: fee, name: Fee, type: currency, currency: EUR }
  - { object: opportunity, slug: cost, name: Cost, type: currency }`;

/** What a file has, its text, and what `crm apply` says about it. The text begins on line 3. */
export const refusedFiles: readonly (readonly [string, string, string])[] = [
  ['no stage that is not archived', 'pipelines: [{ name: New, stages: [{ label: A, archived: true }] }]', 'keeps at'],
  ['a new pipeline without stages', 'pipelines: [{ name: Sales }]', 'so it needs stages'],
  [
    'an archived default',
    'pipelines: [{ name: Last, stages: [{ label: A, archived: true, default: true }] }]',
    'default',
  ],
  [
    'a stage to move to that is not there',
    'pipelines: [{ name: Last, stages: [{ label: Used, archived: true, move_to: X }, { label: Only }] }]',
    'no stage X',
  ],
  [
    'a stage with opportunities',
    'pipelines: [{ name: Last, stages: [{ label: Only }, { label: Used, archived: true }] }]',
    'name the stage that gets them',
  ],
  ['a long label', `pipelines: [{ name: Last, stages: [{ label: "${'x'.repeat(256)}" }] }]`, '255'],
  [
    '500 more fields',
    `fields: [${Array.from({ length: 501 }, (_, n) => `{ object: account, slug: f${n}, name: F, type: string }`).join(', ')}]`,
    'more than 500 fields',
  ],
  [
    '100 more stages',
    `pipelines: [{ name: Last, stages: [${Array.from({ length: 99 }, (_, n) => `{ label: L${n} }`).join(', ')}] }]`,
    'more than 100 stages',
  ],
  [
    'large names',
    `fields: [${Array.from({ length: 30 }, (_, n) => `{ object: account, slug: f${n}, name: F, type: select, options: [${Array.from({ length: 500 }, (__, o) => `{ value: v${o}, label: "${'ü'.repeat(20)} ${o}" }`).join(', ')}] }`).join(', ')}]`,
    '1024 KB',
  ],
  ['a bad webhook', 'webhooks: [{ url: "https://10.0.0.1/hook" }]', 'must be a public address'],
  ['webhooks without a key for secrets', 'webhooks: [{ url: "https://hooks.example.com/" }]', 'WEBHOOK_SECRET_KEY'],
  [
    'a label of another option',
    'fields: [{ object: account, slug: size, name: Size, type: select, options: [{ value: Small, label: large }] }]',
    'the option Large',
  ],
  [
    'a label that is the value of another option',
    'fields: [{ object: account, slug: size, name: Size, type: select, options: [{ value: Small, label: Tiny }, { value: s2, label: Small }] }]',
    'setup.yaml:3: fields[0].options[1].label: is the value of another option: "Small"',
  ],
  [
    'another currency of a field with values',
    'fields: [{ object: opportunity, slug: fee, name: Fee, type: currency, currency: JPY }]',
    'setup.yaml:3: fields[0].currency: the field has values, and its currency is EUR: with reinterpret_values: true',
  ],
  [
    'a currency for a field with values that has none',
    'fields: [{ object: opportunity, slug: cost, name: Cost, type: currency, currency: JPY }]',
    'the field has values, and its currency is none',
  ],
  [
    'another currency of an archived field',
    'fields: [{ object: account, slug: old, name: Old, type: currency, currency: JPY, archived: false }]',
    'is archived, so it may have values',
  ],
  [
    'reinterpret_values without a currency',
    'fields: [{ object: opportunity, slug: fee, name: Fee, type: currency, reinterpret_values: true }]',
    'applies only with currency',
  ],
  [
    'an empty list of pipelines',
    'fields: [{ object: opportunity, slug: p, name: P, type: string, pipelines: [] }]',
    'must name at least one',
  ],
  [
    'names that are exchanged',
    'pipelines: [{ name: Last, stages: [{ label: Only, was: Used }, { label: Used, was: Only }] }]',
    'exchanges them too',
  ],
];
