/* The behaviour of the reference: theme, languages, search, copying, and requests from the page. Without it all text is there. */
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

const startMenu = () => {
  const menu = byId('menu');
  const setOpen = (open) => {
    menu.setAttribute('aria-expanded', String(open));
    document.body.classList.toggle('menu-open', open);
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

const startSearch = (setMenuOpen) => {
  const search = byId('search');
  const groups = all('#navigation .group');
  const matches = () => all('#navigation li:not([hidden]) a');
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const item of all('#navigation li')) {
      const text = `${item.dataset.words} ${item.closest('.group').firstElementChild.textContent.toLowerCase()}`;
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const group of groups) group.hidden = group.querySelector('li:not([hidden])') === null;
    const count = matches().length;
    byId('found').textContent = words.length === 0 ? '' : `${count} found`;
    byId('found').classList.toggle('visually-hidden', words.length === 0 || count > 0);
  };
  search.addEventListener('input', filter);
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') matches()[0]?.click();
    if (event.key === 'ArrowDown') matches()[0]?.focus();
    if (event.key === 'Escape') search.value = '';
    if (event.key === 'Escape') filter();
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
    const { top, bottom } = link.getBoundingClientRect();
    const place = byId('navigation');
    if (place.offsetParent !== null && (top < 120 || bottom > innerHeight - 40)) {
      place.scrollBy({ top: top - innerHeight / 2 });
    }
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

const values = {
  inputs: () => all('#values-form input'),
  of: (name) => byId(`value-${name}`)?.value.trim() ?? '',
  start: () => {
    for (const input of values.inputs()) {
      input.value = tab.get(input.name) ?? '';
      input.addEventListener('input', () => tab.set(input.name, input.value.trim()));
    }
    byId('values-form').addEventListener('reset', () => values.inputs().forEach(({ name }) => tab.set(name, null)));
    byId('values-form').addEventListener('submit', (event) => event.preventDefault());
  },
  /** Fills in ids that are still empty: `accounts: [{id}]` has one for ACCOUNT_ID. */
  learn: (data) => {
    for (const [name, list] of Object.entries(data ?? {})) {
      const singular = name.replace(/ies$/, 'y').replace(/s$/, '');
      const input = byId(`value-${singular.toUpperCase()}_ID`);
      const id = Array.isArray(list) ? (list[0]?.id ?? list[0]?.[`${singular}_id`]) : undefined;
      if (input === null || input.value !== '' || typeof id !== 'string') continue;
      input.value = id;
      tab.set(input.name, id);
    }
  },
  /** A text with its variables replaced. @throws Error that names a variable without a value */
  fill: (text) =>
    text.replaceAll(/\$([A-Z][A-Z_]*)\b/g, (variable, name) => {
      if (byId(`value-${name}`) === null) return variable;
      if (values.of(name) === '') throw new Error(`${variable} has no value yet.`);
      return values.of(name);
    }),
};

/** The request of a form; addresses are relative to the page, which may be below a path of a proxy. */
const readRequest = (form) => {
  const { method, path, key } = form.dataset;
  const headers = key === 'true' ? { 'x-api-key': values.of('key') } : {};
  if (key === 'true' && headers['x-api-key'] === '') throw new Error('This request needs an API key.');
  const query = new URLSearchParams();
  let target = path.slice(1);
  for (const { name, value: text, dataset } of all('input', form)) {
    const value = values.fill(text.trim());
    if (dataset.in === 'path') target = target.replace(`{${name}}`, encodeURIComponent(value));
    else if (value !== '' && dataset.in === 'query') query.set(name, value);
    else if (value !== '') headers[name] = value;
  }
  const body = form.elements.body && values.fill(form.elements.body.value);
  if (body !== undefined) headers['content-type'] = 'application/json';
  return [query.size === 0 ? target : `${target}?${query}`, { method, headers, body, cache: 'no-store' }];
};

const element = (tag, text, properties = {}) =>
  Object.assign(document.createElement(tag), { textContent: text, ...properties });

const showAnswer = (place, response, text, ms) => {
  const line = element('p', '', { className: 'status' });
  const statusClass = response.ok ? 'good' : 'bad';
  line.append(element('b', `${response.status} ${response.statusText}`, { className: statusClass }), ` · ${ms} ms`);
  const headers = element('details', '');
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  headers.append(element('summary', `Headers (${lines.length})`), element('pre', lines.join('\n'), { tabIndex: 0 }));
  let body = text;
  try {
    // Formatted by JSON.stringify, which preserves all numbers of this API.
    body = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Shown as received.
  }
  place.replaceChildren(line, headers, element('pre', body, { tabIndex: 0, className: 'body' }));
};

const startRequests = () => {
  document.addEventListener('submit', async (event) => {
    const form = event.target.closest('.try form');
    if (form === null) return;
    event.preventDefault();
    const place = form.querySelector('.answer');
    const button = form.querySelector('button[type=submit]');
    button.disabled = true;
    try {
      const [address, request] = readRequest(form);
      const startedAt = performance.now();
      const response = await fetch(address, request);
      const text = await response.text();
      showAnswer(place, response, text, Math.round(performance.now() - startedAt));
      if (response.ok && text.startsWith('{')) values.learn(JSON.parse(text).data);
    } catch (error) {
      const link = element('a', 'Enter it under “Your key and values”.', { href: '#values' });
      place.replaceChildren(element('p', `${error.message} `, { className: 'bad' }));
      if (!(error instanceof TypeError)) place.firstChild.append(link);
    } finally {
      button.disabled = false;
    }
  });
};

document.addEventListener('DOMContentLoaded', () => {
  startTheme();
  startLanguages();
  startCopying();
  startSearch(startMenu());
  startMarking();
  if (byId('values-form') !== null) values.start();
  startRequests();
  if (location.hash !== '') openTarget();
  addEventListener('hashchange', openTarget);
});
