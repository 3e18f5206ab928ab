import { renderMarkdown, toAnchor } from './html.js';
import { renderPage } from './page.js';

/** The inputs of the contract's page. */
export interface ContractPageOptions {
  readonly contract: string;
  readonly version: string;
  readonly stylesheet: string;
  readonly script: string;
  readonly icon: string;
  readonly searchIndex: string;
}

/** docs/contract.md as a page. */
export const contractPage = ({ contract, ...page }: ContractPageOptions): string => {
  const headings = [...contract.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading ?? '');
  const toAddress = (href: string): string | null => (href.startsWith('#') ? href : null);
  return renderPage({
    ...page,
    title: 'The contract',
    root: '../',
    links: [{ href: '../docs', title: 'Reference' }],
    navigation: [{ title: 'The contract', links: headings.map((title) => ({ title, href: `#${toAnchor(title)}` })) }],
    main: `<section class="guide">${renderMarkdown(contract, { toAddress })}</section>`,
  });
};
