import { describe, expect, it } from '@jest/globals';

import { proposalsOfFile, proposalsOfPipelines } from './outcome-proposals.js';
import { planSetup } from './plan/plan-setup.js';
import { readSetupFile } from './setup-file.js';
import { yamlText } from '../yaml-file.js';

const letters = 'abcdefghijklmnopqrstuvwxyz';

const plan = (content: string | Uint8Array): readonly string[] => {
  const { source, file } = readSetupFile('/somewhere/setup.yaml', content);
  const setup = { currency: undefined, members: [], pipelines: [], fields: [], webhooks: [], inUse: new Set<string>() };
  return planSetup(source, file, setup, () => undefined).steps.map(({ text }) => text);
};

it('proposes the outcome of open stages with the probability 100 or 0, and sets none', () => {
  const stage = (label: string, probability: number | null, outcome: 'open' | 'won' = 'open') => ({
    ...{ stage_id: label, pipeline_id: 'p', label, stage_order: 1, color: 'gray', is_active: true, is_default: false },
    ...{ probability, outcome },
  });
  const stored = [
    {
      ...{ pipeline_id: 'p', name: 'Sales', is_active: true, created_at: '' },
      stages: [stage('New', 10), stage('Old won', 100), stage('Won', 100, 'won'), stage('Kept', 0), stage('Gone', 0)],
    },
  ];
  const { file } = readSetupFile(
    'setup.yaml',
    `pipelines:
  - name: sales
    stages:
      - { label: New, probability: 0 }
      - { label: Signed, was: Old won }
      - { label: Won }
      - { label: Kept, outcome: open }
      - { label: Gone, archived: true }
      - { label: Half, probability: 50 }`,
  );
  expect(proposalsOfFile(file, stored)).toEqual([
    'The stage New of sales is open and has the probability 0. If its deals are lost, write outcome: lost beside its label.',
    'The stage Signed of sales is open and has the probability 100. If its deals are won, write outcome: won beside its label.',
  ]);
  expect(proposalsOfPipelines(stored).map((line) => line.replace(/.*: crm/, 'crm'))).toEqual([
    `crm api PATCH /v1/inbound/stages/Old won '{"outcome":"won"}'`,
    `crm api PATCH /v1/inbound/stages/Kept '{"outcome":"lost"}'`,
    `crm api PATCH /v1/inbound/stages/Gone '{"outcome":"lost"}'`,
  ]);
});

describe('a bad file', () => {
  it.each([
    ['currency: euro', 'setup.yaml:1: currency'],
    [
      'pipelines:\n  - name: Sales\n    stages: [{ label: A }]\n    colour: red',
      'setup.yaml:4: pipelines[0].colour: is not a known field',
    ],
    ['members:\n  - email: x', 'setup.yaml:2: members[0].email'],
    [
      'members:\n  - email: a@b.example\n  - email: A@b.example',
      'setup.yaml:3: members[1].email: "a@b.example" is given twice',
    ],
    [
      'fields:\n  - object: account\n    slug: x\n    name: X\n    type: choice',
      'setup.yaml:5: fields[0].type: must be one of',
    ],
    ['fields:\n  - { object: account, slug: x, name: X, type: select }', 'setup.yaml:2: fields[0].options: must be'],
    [
      'fields:\n  - object: account\n    slug: x\n    name: X\n    type: select\n    options:\n      - A\n      - label: a',
      'setup.yaml:8: fields[0].options[1].label: is used by another option: "a"',
    ],
    [
      'fields:\n  - { object: opportunity, slug: x, name: X, type: string, pipelines: [Nope] }',
      'there is no pipeline Nope',
    ],
    ['pipelines:\n  - stages: [', 'setup.yaml:2'],
  ])('%j is refused with the line', (text, message) => {
    expect(() => plan(text)).toThrow(message);
    expect(() => plan(text)).toThrow('nothing was changed');
  });

  it.each([
    [
      'Latin-1',
      Buffer.from('# setup\nmembers:\n  - { email: a@example.com, name: J\u00fcrgen }', 'latin1'),
      ':3: is not UTF-8',
    ],
    ['UTF-16', Buffer.from('members:\n', 'utf16le'), ':1: is not UTF-8'],
    ['a second document', Buffer.from('members: []\n---\nmembers: []\n'), ':2: a second document begins here'],
    ['an unknown tag', Buffer.from('members:\n  - { email: !user ann@example.com }\n'), ':2: Unresolved tag: !user'],
    ['an alias without an anchor', Buffer.from('members: *all\n'), ':1: *all has no anchor &all before it'],
    ['an alias in itself', Buffer.from('members: &all\n  - *all\n'), ':2: *all refers to itself'],
    [
      'an alias bomb',
      Buffer.from(
        `a: &a [x, x]\n${Array.from('bcdefghijklmnopqrstuvwxyz', (key, n) => `${key}: &${key} [*${letters[n]}, *${letters[n]}]`).join('\n')}`,
      ),
      ': *n repeats too much: the file would have more than 100000 values',
    ],
  ])('%s is refused with its line', (_title, content, message) => {
    expect(() => plan(content)).toThrow(message);
  });

  it('may use an anchor often, and begin with a byte order mark', () => {
    const stages = Array.from({ length: 90 }, (_, n) => `{ label: S${n}, color: *c }`).join(', ');
    const pipelines = ['A', 'B'].map((name) => `{ name: ${name}, stages: [${stages}] }`);
    const content = `\uFEFFpipelines: [{ name: X, stages: [{ label: L, color: &c red }] }, ${pipelines.join(', ')}]`;
    expect(plan(Buffer.from(content))).toHaveLength(3);
  });
});

describe('yamlText', () => {
  const likeOthers = ['no', 'Yes', 'on', 'off', 'y', 'N', '~', 'null', '=', '<<', '2026-01-01', '2026-1-1 12:30:00 -5'];
  const likeNumbers = [
    '12:30',
    '190:20:30.15',
    '1_000',
    '0o7',
    '0b1',
    '010',
    '0x1F',
    '1.',
    '.5',
    '1e3',
    '.inf',
    '.nan',
  ];

  it.each([...likeOthers, ...likeNumbers])('quotes %s', (text) => {
    expect(yamlText({ label: text })).toBe(`label: "${text}"\n`);
  });

  it('leaves other texts plain', () => {
    expect(yamlText({ label: 'Nothing yet', name: 'on hold' })).toBe('label: Nothing yet\nname: on hold\n');
  });
});
