import type { ObjectType } from '@crm/domain';
import { reportFigure, isSoak, testSize } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type FieldCase, fieldCasesOf } from './property/field-cases.js';
import { walkSearch } from './support/walk.js';
import { makeWorld, type World } from './property/world.js';
import { startTestGateway, useGateway } from './support/gateway.js';
import { type Crowd, makeCrowd } from './walks/crowd.js';

/** Three thousand show how pages of 500 behave. The short run has fewer: one page of 500 and three of 50. */
const rows = testSize({ short: 108, soak: 3_000 });
/** Each record of the crowd is a copy of one of these. */
const templateCount = testSize({ short: 12, soak: 48 });
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const objectTypes: readonly ObjectType[] = ['opportunity', 'account', 'contact'];

const gateway = useGateway(startTestGateway);
let world: World;

beforeAll(async () => {
  process.stdout.write(`walks: FC_SEED=${seed}, ${rows} rows\n`);
  world = await makeWorld(gateway, seed);
});

/** The ids of the unchanged records, in the order of a walk. */
const walkStill = async (
  crowd: Crowd,
  objectType: ObjectType,
  body: { readonly sort: string; readonly limit: number },
): Promise<readonly string[]> => {
  const walked = await walkSearch(gateway.client, objectType, body, () => crowd.stir());
  return walked.map(({ id }) => id).filter((id) => crowd.still.has(id));
};

/** How many records a walk missed, plus how many it repeated. */
const faultsOf = ({ still }: Crowd, walked: readonly string[]): number => {
  const distinct = new Set(walked).size;
  return still.size - distinct + (walked.length - distinct);
};

const sortable = (objectType: ObjectType): readonly FieldCase[] =>
  fieldCasesOf(world.setup.fieldIndex(objectType, null)).filter(({ sorts }) => sorts);

describe.each(objectTypes)('200: walks through %s records under inserts and updates', (objectType) => {
  let crowd: Crowd;

  beforeAll(async () => {
    const templates = world.records[objectType].slice(0, templateCount).map(({ id }) => id);
    crowd = await makeCrowd(gateway.database, gateway.organization.id, objectType, templates, rows);
  }, 300_000);

  test.each(['asc', 'desc'])(
    'R5: by every field %s, in pages of 50 and 500, each unchanged record is listed once, in the same order',
    async (direction) => {
      let walked = 0;
      let faults = 0;
      const wrong: string[] = [];
      for (const [index, { spellings }] of sortable(objectType).entries()) {
        // The soak run walks every field in both directions. The short run walks every other field in each direction.
        if (!isSoak && index % 2 === (direction === 'asc' ? 0 : 1)) continue;
        const sort = `${spellings[0] ?? ''}:${direction}`;
        const inSmall = await walkStill(crowd, objectType, { sort, limit: 50 });
        const inLarge = await walkStill(crowd, objectType, { sort, limit: 500 });
        walked += inSmall.length + inLarge.length;
        const found = faultsOf(crowd, inSmall) + faultsOf(crowd, inLarge);
        faults += found;
        if (found > 0 || inSmall.join() !== inLarge.join()) wrong.push(`${sort}: ${found} missed or repeated`);
      }
      const what = `${objectType} records missed or repeated of ${walked} walked, fields ${direction}`;
      reportFigure('R5', what, faults, 0);
      expect(wrong).toEqual([]);
      expect(walked).toBeGreaterThan(0);
    },
    1_800_000,
  );
});
