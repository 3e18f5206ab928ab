/** A value, and the share of deals that have it. */
interface Share {
  readonly value: string;
  /** The number of deals per ten thousand. */
  readonly perTenThousand: number;
}

/** The options of the select field `tier`. The first three have 50 %, 1 % and 0.01 % of the deals. */
export const tiers: readonly Share[] = [
  { value: 'gold', perTenThousand: 5_000 },
  { value: 'iron', perTenThousand: 100 },
  { value: 'zinc', perTenThousand: 1 },
  { value: 'silver', perTenThousand: 4_899 },
];

/** The words in the names of deals that the benchmark searches for. */
export const searchWords = {
  /** In 30 % of the names. */
  common: 'strategic',
  /** In one name of 100,000. */
  rare: 'quixotic',
  /** In none. */
  absent: 'zyzzyva',
  /** In the names of the oldest 1 %, which come last in the default order. */
  oldClustered: 'legacyimport',
} as const;

const uuid = (kind: number, organization: number, number: number): string =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(organization).padStart(4, '0')}${String(number).padStart(8, '0')}`;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** The setup of one organization, and the number of its records. */
export interface OrganizationLayout {
  readonly number: number;
  readonly id: string;
  readonly opportunities: number;
  /** In order. The first has nine of ten deals. */
  readonly pipelineIds: readonly [string, string];
  /** The stages of each pipeline, in the order of {@link pipelineIds}. */
  readonly stageIds: readonly [readonly string[], readonly string[]];
  readonly memberIds: readonly string[];
}

const stageIdsOf = (organization: number, pipeline: number): readonly string[] =>
  numbers(5).map((stage) => uuid(3, organization, pipeline * 100 + stage));

/** The layout of the organization with this number. Its ids are the same for every size. */
export const organizationLayout = (number: number, opportunities: number): OrganizationLayout => ({
  number,
  id: uuid(1, number, 0),
  opportunities,
  pipelineIds: [uuid(2, number, 1), uuid(2, number, 2)],
  stageIds: [stageIdsOf(number, 1), stageIdsOf(number, 2)],
  memberIds: numbers(20).map((member) => uuid(4, number, member)),
});

/** The id of the custom field with this number in an organization. */
export const fieldId = (organization: OrganizationLayout, number: number): string =>
  uuid(5, organization.number, number);

const smallOrganizations = 3;

/** One large organization first, and then a few small ones whose ids and times are mixed with its own. */
export const organizationLayouts = (opportunities: number): readonly OrganizationLayout[] => [
  organizationLayout(1, opportunities),
  ...numbers(smallOrganizations).map((index) =>
    organizationLayout(1 + index, Math.min(500, Math.ceil(opportunities / 100))),
  ),
];
