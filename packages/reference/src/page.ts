import { escapeHtml } from './html.js';

/** A link of the side navigation. */
export interface NavigationLink {
  readonly href: string;
  readonly title: string;
  /** HTML after the title. */
  readonly badge?: string;
}

/** Links under one heading. */
export interface NavigationGroup {
  readonly title: string;
  readonly links: readonly NavigationLink[];
}

/** The addresses of the files that every page loads, relative to the folder of `/docs`. */
export interface PageFiles {
  readonly stylesheet: string;
  readonly script: string;
  readonly icon: string;
  /** The file that the search reads. */
  readonly searchIndex: string;
}

/** The parts of a page. */
export interface PageParts {
  readonly title: string;
  readonly version: string;
  /** The relative path from the page to the folder of `/docs`: empty, or `../`. */
  readonly root: string;
  readonly files: PageFiles;
  /** The gateway of the page and the address of the other one, for the script. */
  readonly gateway?: { readonly name: string; readonly other: string };
  readonly links: readonly NavigationLink[];
  readonly navigation: readonly NavigationGroup[];
  readonly main: string;
  /** The form for the key and the variables. Only the page that sends requests has it. */
  readonly values?: string;
}

const navigationLink = ({ href, title, badge = '' }: NavigationLink): string =>
  `<li><a href="${escapeHtml(href)}"><span>${escapeHtml(title)}</span>${badge}</a></li>`;

const navigationGroup = ({ title, links }: NavigationGroup): string =>
  `<div class="group"><h2>${escapeHtml(title)}</h2><ul>${links.map(navigationLink).join('')}</ul></div>`;

/** A whole page, without inline scripts or styles, and with relative addresses only. */
export const renderPage = (page: PageParts): string => `<!doctype html>
<html lang="en" data-language="curl" data-root="${page.root}" data-gateway="${page.gateway?.name ?? ''}" data-other="${escapeHtml(page.gateway?.other ?? '')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="${page.root}${page.files.icon}">
<link rel="stylesheet" href="${page.root}${page.files.stylesheet}">
<script src="${page.root}${page.files.script}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="navigation">Menu</button>
<a class="brand" href="${page.root}docs">${escapeHtml(page.title)} <small>${escapeHtml(page.version)}</small></a>
<nav aria-label="Documents">${page.links.map(({ href, title }) => `<a href="${escapeHtml(href)}">${escapeHtml(title)}</a>`).join('')}</nav>
<button type="button" id="theme" aria-label="Switch between light and dark"><span aria-hidden="true">◐</span></button>
</header>
<nav id="navigation" aria-label="Contents">
<div class="search"><label for="search">Search</label><input id="search" type="search" placeholder="Search" autocomplete="off" aria-keyshortcuts="/" data-index="${page.root}${page.files.searchIndex}"><kbd aria-hidden="true">/</kbd></div>
<p id="found" role="status"></p>
<ul id="results" aria-label="Results"></ul>
${page.navigation.map(navigationGroup).join('\n')}
</nav>
<main id="main" tabindex="-1">
${page.values ?? ''}
${page.main}
</main>
</body>
</html>
`;
