/* The behaviour of every page: theme, languages, copying, search and navigation. Without it all text is there. */
'use strict';

/** Values that the tab stores until it is closed. Private windows may refuse to store them. */
const tab = {
  get: (name) => {
    try {
      return sessionStorage.getItem(`crm.${name}`);
    } catch {
      return null;
    }
  },
  set: (name, value) => {
    try {
      if (value === null || value === '') sessionStorage.removeItem(`crm.${name}`);
      else sessionStorage.setItem(`crm.${name}`, value);
    } catch {
      // The page works without it.
    }
  },
};

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);

const element = (tag, text, properties = {}) =>
  Object.assign(document.createElement(tag), { textContent: text, ...properties });

/* Set before the page is painted, so that it does not flash. */
if (tab.get('theme') !== null) root.dataset.theme = tab.get('theme');
if (tab.get('language') !== null) root.dataset.language = tab.get('language');

const startTheme = () => {
  byId('theme').addEventListener('click', () => {
    const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
    root.dataset.theme = (root.dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
    tab.set('theme', root.dataset.theme);
  });
};

const startLanguages = () => {
  const show = (language) => {
    root.dataset.language = language;
    for (const button of all('.tabs button')) {
      button.setAttribute('aria-pressed', String(button.dataset.language === language));
    }
  };
  show(root.dataset.language);
  document.addEventListener('click', (event) => {
    const button = event.target.closest('.tabs button');
    if (button === null) return;
    // Samples above change their height too: keep the clicked one at its place on the screen.
    const before = button.getBoundingClientRect().top;
    show(button.dataset.language);
    tab.set('language', button.dataset.language);
    scrollBy({ top: button.getBoundingClientRect().top - before, behavior: 'instant' });
  });
};

const startCopying = () => {
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('.copy');
    if (button === null) return;
    const code = all('pre', button.closest('.code')).find((block) => block.offsetParent !== null);
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
    } catch {
      // Only pages from https or from this machine may write to the clipboard.
      getSelection().selectAllChildren(code);
      button.textContent = 'Selected';
    }
    setTimeout(() => (button.textContent = 'Copy'), 1500);
  });
};

/** Scrolls the navigation to the link of the visible section. */
const showCurrent = () => {
  const { top, bottom } = document.querySelector('#navigation a[aria-current]')?.getBoundingClientRect() ?? {};
  if (top < 120 || bottom > innerHeight - 40) byId('navigation').scrollBy({ top: top - innerHeight / 2 });
};

const startMenu = () => {
  const menu = byId('menu');
  const setOpen = (open) => {
    menu.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('menu-open', open);
    if (open) showCurrent();
  };
  menu.addEventListener('click', () => setOpen(menu.getAttribute('aria-expanded') !== 'true'));
  byId('navigation').addEventListener('click', (event) => {
    if (event.target.closest('a') !== null) setOpen(false);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') setOpen(false);
  });
  return setOpen;
};

/** The places that contain all words, those with words in the title first, then those with most of them. */
const findPlaces = (index, words) => {
  const patterns = words.map((word) => new RegExp(`(?:^|[^a-z0-9])${word.replaceAll(/\W/g, '\\$&')}`, 'gi'));
  const count = (text, pattern) => text.match(pattern)?.length ?? 0;
  return index
    .map(({ title, head, text, ...entry }) => {
      const scores = patterns.map((each) => 100 * count(title, each) + 30 * count(head, each) + count(text, each));
      return { ...entry, title, text, score: scores.includes(0) ? 0 : scores.reduce((sum, score) => sum + score) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score);
};

/** A link to a place, with the text around the first word. */
const resultOf = ({ title, place, href, text }, [word]) => {
  const link = element('a', '', { href: /^https?:/.test(href) ? href : root.dataset.root + href });
  const start = Math.max(text.toLowerCase().indexOf(word) - 30, 0);
  link.append(
    element('span', title),
    element('small', `${place} · ${text.slice(start, start + 90).replace(start > 0 ? /^\S*/ : '', '')}`),
  );
  const item = document.createElement('li');
  item.append(link);
  return item;
};

const startSearch = (setMenuOpen) => {
  const search = byId('search');
  const results = byId('results');
  let index;
  const show = async () => {
    const { value } = search;
    const words = value.toLowerCase().split(/\s+/).filter(Boolean);
    index ??= fetch(search.dataset.index).then((response) => response.json());
    const places = words.length === 0 ? [] : findPlaces(await index, words);
    if (search.value !== value) return;
    results.replaceChildren(...places.slice(0, 30).map((place) => resultOf(place, words)));
    for (const group of all('#navigation .group')) group.hidden = words.length > 0;
    byId('found').textContent = words.length === 0 ? '' : `${places.length} found`;
  };
  search.addEventListener('input', show);
  search.addEventListener('keydown', async (event) => {
    if (event.key === 'Escape') search.value = '';
    if (event.key === 'Escape') show();
    if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
    await show();
    const link = results.querySelector('a');
    if (event.key === 'Enter') link?.click();
    else link?.focus();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setMenuOpen(true);
    search.focus();
    search.select();
  });
};

/** Marks the link of the visible section in the navigation. */
const startMarking = () => {
  const links = new Map(all('#navigation a[href^="#"]').map((link) => [link.hash.slice(1), link]));
  const mark = (id) => {
    for (const link of all('#navigation a[aria-current]')) link.removeAttribute('aria-current');
    const link = links.get(id);
    if (link === undefined) return;
    link.setAttribute('aria-current', 'true');
    showCurrent();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) mark(entry.target.id);
    },
    { rootMargin: '-15% 0px -80% 0px' },
  );
  for (const id of links.keys()) if (byId(id) !== null) observer.observe(byId(id));
};

/** Opens the element that an address points to, such as one of the common errors. */
const openTarget = () => {
  const target = byId(decodeURIComponent(location.hash.slice(1)));
  if (target === null) return;
  for (let place = target; place !== null; place = place.parentElement)
    if (place.tagName === 'DETAILS') place.open = true;
  target.scrollIntoView();
};
