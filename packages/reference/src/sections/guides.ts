import { renderMarkdown, toAnchor } from '../html.js';

/** The parts of the contract that are guides on the page: the title there, and the heading in docs/contract.md. */
const contractGuides = [
  { title: 'Rate limits', heading: 'Rate limits' },
  { title: 'Errors', heading: 'Statuses and errors' },
  { title: 'Filters', heading: 'Searching' },
  { title: 'Sorting', heading: 'Sorting' },
  { title: 'Paging', heading: 'Pages' },
  { title: 'Idempotency', heading: 'Idempotency-Key' },
  { title: 'Custom fields', heading: 'Custom fields' },
  { title: 'Events', heading: 'The change log' },
] as const;

/** A guide of the page. */
export interface Guide {
  readonly title: string;
  readonly anchor: string;
  readonly html: string;
}

/** The text below a heading of the second level; undefined if there is none. */
export const contractSection = (contract: string, heading: string): string | undefined =>
  contract
    .split(/^## /m)
    .slice(1)
    .find((section) => section.split('\n')[0] === heading)
    ?.replace(/^.*\n/, '');

/** The target of a link of docs/contract.md on the page; other files are not part of it. */
const fromReference = (href: string): string | null => (href.startsWith('#') ? `docs/contract${href}` : null);

/** The target of a link in the introduction: the guide of that section of the contract, or else the contract. */
const fromIntroduction = (href: string): string => {
  const anchor = /docs\/contract\.md#(.+)$/.exec(href)?.[1];
  if (anchor === undefined) return href;
  const guide = contractGuides.find(({ heading }) => toAnchor(heading) === anchor);
  return guide === undefined ? `docs/contract#${anchor}` : `#${toAnchor(guide.title)}`;
};

/** The introduction, and the guides, which are sections of the contract. */
export const readGuides = (introduction: string, contract: string): readonly Guide[] => [
  {
    title: 'Get started',
    anchor: 'get-started',
    html: renderMarkdown(introduction, { toAddress: fromIntroduction, anchorPrefix: 'get-started-' }),
  },
  ...contractGuides.flatMap(({ title, heading }) => {
    const markdown = contractSection(contract, heading);
    const anchor = toAnchor(title);
    if (markdown === undefined) return [];
    const options = { toAddress: fromReference, anchorPrefix: `${anchor}-` };
    return [{ title, anchor, html: renderMarkdown(markdown, options) }];
  }),
];

/** The section of a guide. */
export const guideSection = ({ title, anchor, html }: Guide): string =>
  `<section class="guide" id="${anchor}" aria-labelledby="${anchor}-title"><h2 id="${anchor}-title">${title}</h2>${html}</section>`;
