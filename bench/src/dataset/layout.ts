/** A value that a share of the deals has. */
interface Share {
  readonly value: string;
  /** Deals of ten thousand. */
  readonly perTenThousand: number;
}

/** The options of the select field `tier`: half of the deals, a hundredth, a ten thousandth, and the others. */
export const tiers: readonly Share[] = [
  { value: 'gold', perTenThousand: 5_000 },
  { value: 'iron', perTenThousand: 100 },
  { value: 'zinc', perTenThousand: 1 },
  { value: 'silver', perTenThousand: 4_899 },
];

/** Words in the names of deals that searches look for. */
export const searchWords = {
  /** In 30 % of the names. */
  common: 'strategic',
  /** In one name of 100,000. */
  rare: 'quixotic',
  /** In none. */
  absent: 'zyzzyva',
  /** A word in the names of the oldest hundredth, which come after all newer deals in the order. */
  oldClustered: 'legacyimport',
} as const;

const uuid = (kind: number, organization: number, number: number): string =>
  `00000000-0000-4000-8${String(kind).padStart(3, '0')}-${String(organization).padStart(4, '0')}${String(number).padStart(8, '0')}`;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index + 1);

/** What one organization has set up, and how much it holds. */
export interface OrganizationLayout {
  readonly number: number;
  readonly id: string;
  readonly opportunities: number;
  /** In order: the first holds nine deals of ten. */
  readonly pipelineIds: readonly string[];
  /** The stages of each pipeline, in the order of {@link pipelineIds}. */
  readonly stageIds: readonly (readonly string[])[];
  readonly memberIds: readonly string[];
}

/** The layout of the organization of that number; the same ids at every size. */
export const organizationLayout = (number: number, opportunities: number): OrganizationLayout => ({
  number,
  id: uuid(1, number, 0),
  opportunities,
  pipelineIds: numbers(2).map((pipeline) => uuid(2, number, pipeline)),
  stageIds: numbers(2).map((pipeline) => numbers(5).map((stage) => uuid(3, number, pipeline * 100 + stage))),
  memberIds: numbers(20).map((member) => uuid(4, number, member)),
});

/** The id of an organization's custom field of that number. */
export const fieldId = (organization: OrganizationLayout, number: number): string =>
  uuid(5, organization.number, number);

const smallOrganizations = 3;

/** One large organization, the first, beside a few small ones whose rows lie among its own. */
export const organizationLayouts = (opportunities: number): readonly OrganizationLayout[] => [
  organizationLayout(1, opportunities),
  ...numbers(smallOrganizations).map((index) =>
    organizationLayout(1 + index, Math.min(500, Math.ceil(opportunities / 100))),
  ),
];
