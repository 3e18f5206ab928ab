import { describe, expect, it } from '@jest/globals';

import { YamlFile } from '../../yaml-file.js';
import { matchEntries } from './match-entries.js';
import { moves, orderRenames, targetOrder } from './order.js';

/** Entries such as `B < A`: B, which was A. Objects are stored as `A`, and their ids are `id-a`. */
const match = (entries: readonly string[], stored: readonly string[]) => {
  const lines = entries.map((entry) => entry.split(' < '));
  const text = `stages:\n${lines.map(([name, was]) => `  - { label: ${name}${was === undefined ? '' : `, was: ${was}`} }`).join('\n')}`;
  const source = new YamlFile('setup.yaml', text, 'Refused');
  const named = lines.map(([name = '', was]) => ({ name, was }));
  const objects = stored.map((name) => ({ id: `id-${name.toLowerCase()}`, name }));
  const found = matchEntries(named, objects, { source, path: ['stages'], key: 'label', noun: 'stage' });
  source.throwIfAny();
  return found.map((at) => stored[at] ?? 'new');
};

describe('matchEntries', () => {
  it.each([
    ['by name', ['A', 'B'], ['B', 'A'], ['A', 'B']],
    ['by name, whatever its case', ['a'], ['A'], ['A']],
    ['a rename', ['B < A'], ['A'], ['A']],
    ['a rename that was made', ['B < A'], ['B'], ['B']],
    ['a rename in another organization', ['B < A'], [], ['new']],
    ['a split', ['A', 'B < A'], ['A'], ['new', 'A']],
    ['a split, in another order', ['B < A', 'A'], ['A'], ['A', 'new']],
    ['a split that was made', ['A', 'B < A'], ['A', 'B'], ['A', 'B']],
    ['a chain', ['A', 'B < A', 'C < B'], ['A', 'B'], ['new', 'A', 'B']],
    ['a chain in another order', ['C < B', 'A', 'B < A'], ['A', 'B'], ['B', 'new', 'A']],
    ['a chain that was made', ['A', 'B < A', 'C < B'], ['A', 'B', 'C'], ['A', 'B', 'C']],
    ['a chain that stopped after its first rename', ['A', 'B < A', 'C < B'], ['A', 'C'], ['new', 'A', 'C']],
    ['a chain that stopped after its second rename', ['A', 'B < A', 'C < B'], ['B', 'C'], ['new', 'B', 'C']],
    ['a long chain', ['B < A', 'C < B', 'D < C'], ['A', 'B', 'C'], ['A', 'B', 'C']],
    ['an exchange by ids', ['A < id-b', 'B < id-a'], ['A', 'B'], ['B', 'A']],
    ['an id of another organization', ['A < id-x'], ['A'], ['A']],
    ['was with the same name', ['A < A'], ['A'], ['A']],
  ])('%s', (_title, entries, stored, found) => {
    expect(match(entries, stored)).toEqual(found);
  });

  it.each([
    [
      ['A < B', 'B < A'],
      ['A', 'B'],
      ['setup.yaml:2', 'setup.yaml:3', 'was: id-a', 'was: id-b'],
    ],
    [
      ['A < C', 'B < A', 'C < B'],
      ['A', 'B', 'C'],
      ['setup.yaml:2', 'setup.yaml:3', 'setup.yaml:4', 'exchanges them'],
    ],
    [['B < A', 'C < A'], ['A'], ['setup.yaml:2', 'setup.yaml:3', 'is the same stage as']],
    [
      ['B < A', 'C < A'],
      ['A', 'B'],
      ['setup.yaml:2', 'setup.yaml:3', '"A" becomes "C"'],
    ],
    [['B < id-a', 'C < A'], ['A'], ['setup.yaml:2', 'setup.yaml:3', 'is the same stage as']],
    [['B < A'], ['A', 'B'], ['setup.yaml:2', 'there are both "B" and "A"']],
    [['B < id-a'], ['A', 'B'], ['setup.yaml:2', 'another stage is called "B"']],
  ])('%j on %j has two readings, which are refused with their lines', (entries, stored, texts) => {
    for (const text of texts) expect(() => match(entries, stored)).toThrow(text);
  });
});

describe('orderRenames', () => {
  const run = (renames: readonly (readonly [string | null, string | null])[], others: readonly string[] = []) =>
    orderRenames(
      renames.map(([from, to]) => ({ from, to })),
      others,
      (index, nth) => `T${index}${nth}`,
    ).map(({ index, temporary }) => (temporary === undefined ? `${index}` : `${index} T${index}${temporary}`));

  it.each([
    [
      'a chain, last first',
      [
        ['A', 'B'],
        ['B', 'C'],
      ],
      [],
      ['1', '0'],
    ],
    [
      'an exchange',
      [
        ['A', 'B'],
        ['B', 'A'],
      ],
      [],
      ['0 T01', '1', '0'],
    ],
    [
      'two exchanges',
      [
        ['A', 'B'],
        ['C', 'D'],
        ['D', 'C'],
        ['B', 'A'],
      ],
      [],
      ['0 T01', '3', '0', '1 T11', '2', '1'],
    ],
    [
      'a taken temporary name',
      [
        ['A', 'B'],
        ['B', 'A'],
      ],
      ['T01'],
      ['0 T02', '1', '0'],
    ],
    [
      'an archived option that frees its label',
      [
        [null, 'A'],
        ['A', null],
      ],
      [],
      ['1', '0'],
    ],
    [
      'unchanged names',
      [
        ['A', 'A'],
        ['B', 'C'],
      ],
      ['X'],
      ['0', '1'],
    ],
  ] as const)('%s', (_title, renames, others, steps) => {
    expect(run(renames, others)).toEqual(steps);
  });
});

describe('moves', () => {
  it.each([
    [[0, 1, 2], [0, 1, 2], []],
    [[0, 1, 2, 3], [3, 0, 1, 2], [[3, 1]]],
    [[0, 1, 2, 3], [1, 2, 3, 0], [[0, 4]]],
    [[0, 1], [0, 1, 5], [[5, undefined]]],
    [
      [0, 1],
      [5, 0, 6, 1, 7],
      [
        [5, 1],
        [6, 3],
        [7, undefined],
      ],
    ],
    [
      [0, 1, 2],
      [2, 1, 0],
      [
        [2, 1],
        [1, 2],
      ],
    ],
  ])('%j → %j', (current, target, wanted) => {
    const made = moves(current, target);
    expect(made.map(({ key, position }) => [key, position])).toEqual(wanted);
    const list = [...current];
    for (const { key, position } of made) {
      if (list.includes(key)) list.splice(list.indexOf(key), 1);
      list.splice((position ?? list.length + 1) - 1, 0, key);
    }
    expect(list).toEqual(target);
  });

  it('puts the entries of the file first if their order changes, and else keeps the order', () => {
    expect(targetOrder([2, 0], 3)).toEqual([2, 0, 1]);
    expect(targetOrder([0, 2, -1], 3)).toEqual([0, 1, 2, 5]);
    expect(targetOrder([-1, 1], 2)).toEqual([2, 1, 0]);
  });
});
