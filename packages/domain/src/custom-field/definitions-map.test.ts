import { describe, expect, it } from '@jest/globals';
import { definitionOf, stageOptions } from '../../tests/definition-fixture.js';
import { attributeTypes } from './definition.js';
import { definitionsMap } from './definitions-map.js';
import { visibleDefinitions } from './pipeline-scope.js';

describe('definitionsMap', () => {
  it('gives every type exactly four properties', () => {
    const map = definitionsMap(attributeTypes.map((type) => definitionOf(type, { slot: 'text_1' })));
    expect(Object.keys(map)).toHaveLength(20);
    for (const type of attributeTypes) {
      expect(map[type]).toEqual({
        current_name: `The ${type}`,
        property_name: `custom__${type}`,
        attribute_type: type,
        metadata: ['select', 'radio', 'multi_select'].includes(type)
          ? { options: [] }
          : type === 'rating'
            ? { max: 5 }
            : null,
      });
    }
  });

  it('lists options with only label, value and color, including archived ones', () => {
    const map = definitionsMap([definitionOf('select', { metadata: { options: stageOptions } })]);
    const { metadata } = map['select'] ?? {};
    expect(metadata).toEqual({ options: stageOptions.map(({ label, value, color }) => ({ label, value, color })) });
  });

  it('gives only the metadata of the type', () => {
    const metadata = { currency: 'EUR', max: 10, options: stageOptions };
    const map = definitionsMap([
      definitionOf('currency', { metadata }),
      definitionOf('rating', { metadata }),
      definitionOf('string', { metadata }),
    ]);
    expect([map['currency']?.metadata, map['rating']?.metadata, map['string']?.metadata]).toEqual([
      { currency: 'EUR' },
      { max: 10 },
      null,
    ]);
  });

  it('is ordered by position, then by slug', () => {
    const map = definitionsMap([
      definitionOf('string', { slug: 'c', position: 2 }),
      definitionOf('string', { slug: 'b', position: 1 }),
      definitionOf('string', { slug: 'a', position: 2 }),
    ]);
    expect(Object.keys(map)).toEqual(['b', 'a', 'c']);
    expect(Object.keys(JSON.parse(JSON.stringify(map)) as object)).toEqual(['b', 'a', 'c']);
  });

  it('finds nothing under inherited names', () => {
    const map = definitionsMap([]);
    expect([map['constructor'], map['__proto__'], map['toString']]).toEqual([undefined, undefined, undefined]);
  });
});

describe('visibleDefinitions', () => {
  const everywhere = definitionOf('string', { slug: 'everywhere' });
  const hidden = definitionOf('string', { slug: 'hidden', isHidden: true });
  const sales = definitionOf('string', { slug: 'sales', pipelineIds: ['p1', 'p2'] });
  const nowhere = definitionOf('string', { slug: 'nowhere', pipelineIds: [] });

  it('leaves out hidden fields and fields of other pipelines', () => {
    const all = [sales, hidden, everywhere, nowhere];
    expect(visibleDefinitions(all, 'p2')).toEqual([sales, everywhere]);
    expect(visibleDefinitions(all, 'p3')).toEqual([everywhere]);
    expect(visibleDefinitions(all, null)).toEqual([sales, everywhere, nowhere]);
  });
});
