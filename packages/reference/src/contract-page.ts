import { renderMarkdown, toAnchor } from './html.js';
import { type PageFiles, renderPage } from './page.js';

/** docs/contract.md as a page. */
export const contractPage = (contract: string, version: string, files: PageFiles): string => {
  const headings = [...contract.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading ?? '');
  const toAddress = (href: string): string | null => (href.startsWith('#') ? href : null);
  return renderPage({
    version,
    files,
    title: 'The contract',
    root: '../',
    links: [{ href: '../docs', title: 'Reference' }],
    navigation: [{ title: 'The contract', links: headings.map((title) => ({ title, href: `#${toAnchor(title)}` })) }],
    main: `<section class="guide">${renderMarkdown(contract, { toAddress })}</section>`,
  });
};
