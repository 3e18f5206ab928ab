import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const skipped = new Set(['node_modules', 'dist', '.git', '.turbo', '.crm', '.crm-bench', 'generated', 'coverage']);

const pagesIn = async (folder: string): Promise<string[]> => {
  const pages: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (skipped.has(entry.name)) continue;
    if (entry.isDirectory()) pages.push(...(await pagesIn(path)));
    else if (entry.name.endsWith('.md')) pages.push(path);
  }
  return pages;
};

/** The text of a page without its code, in which brackets are not links. */
const prose = (page: string): string =>
  page.replace(/^```[^]*?^```$/gm, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...page.replace(/^```[^]*?^```$/gm, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );

const problemOf = async (file: string, link: string): Promise<string | undefined> => {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? file : join(dirname(file), path);
  if (!existsSync(target)) return `${relative(root, file)}: there is no ${link}`;
  if (anchor === undefined) return undefined;
  return anchorsOf(await readFile(target, 'utf8')).has(anchor)
    ? undefined
    : `${relative(root, file)}: no heading ${link}`;
};

describe('the pages', () => {
  it('link only to existing pages and headings', async () => {
    const pages = await pagesIn(root);
    expect(pages.length).toBeGreaterThan(25);
    let links = 0;
    const problems: (string | undefined)[] = [];
    for (const file of pages) {
      for (const [, link = ''] of prose(await readFile(file, 'utf8')).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(link)) continue;
        links++;
        problems.push(await problemOf(file, link));
      }
    }
    expect(links).toBeGreaterThan(100);
    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  });

  it('are all reachable from the first one', async () => {
    const seen = new Set([join(root, 'README.md')]);
    for (const file of seen) {
      for (const [, link = ''] of prose(await readFile(file, 'utf8')).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
        const target = join(dirname(file), link);
        if (target.endsWith('.md') && existsSync(target)) seen.add(target);
      }
    }
    const lost = (await pagesIn(join(root, 'docs'))).filter((page) => !seen.has(page));
    expect(lost.map((page) => relative(root, page))).toEqual([]);
  });
});
