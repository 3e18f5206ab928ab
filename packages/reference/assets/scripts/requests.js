/* The reader's key and values, in the samples and in requests from the page. */

const values = {
  inputs: () => all('#values-form input'),
  of: (name) => byId(`value-${name}`)?.value.trim() ?? '',
  start: () => {
    for (const input of values.inputs()) {
      input.value = tab.get(input.name) ?? '';
      input.addEventListener('input', () => {
        tab.set(input.name, input.value.trim());
        fillSamples();
      });
    }
    byId('values-form').addEventListener('reset', () => {
      for (const { name } of values.inputs()) tab.set(name, null);
      setTimeout(fillSamples);
    });
    byId('values-form').addEventListener('submit', (event) => event.preventDefault());
  },
  /** Sets a value that is still empty. */
  offer: (name, value) => {
    const input = byId(`value-${name}`);
    if (input === null || input.value !== '' || typeof value !== 'string') return;
    input.value = value;
    tab.set(name, value);
  },
  /** Fills in ids that are still empty: `accounts: [{id}]` and `company_id` have one for ACCOUNT_ID. */
  learn: (data, name = '') => {
    const own = name.replace(/ies$/, 'y').replace(/s$/, '').toUpperCase();
    for (const [key, value] of Object.entries((Array.isArray(data) ? data[0] : data) ?? {})) {
      if (typeof value === 'object') values.learn(value, key);
      else
        values.offer(
          { id: `${own}_ID`, company_id: 'ACCOUNT_ID', people_id: 'CONTACT_ID' }[key] ?? key.toUpperCase(),
          value,
        );
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

/** A variable in a sample: `${process.env.A}`, `process.env.A!`, `{os.environ['A']}`, `os.environ["A"]` or `$A`. */
const variables =
  /\$\{process\.env\.(\w+)\}|process\.env\.(\w+)!?|\{os\.environ\['(\w+)'\]\}|os\.environ\["(\w+)"\]|\$([A-Z][A-Z_]*)\b/g;
const sampleTexts = new Map();

/** Shows the known values in the samples. The key stays a variable, so that no copied sample contains it. */
const fillSamples = () => {
  const addresses = {
    [root.dataset.gateway]: new URL('.', location).href,
    [root.dataset.gateway === 'read' ? 'inbound' : 'read']: root.dataset.other,
  };
  const valueOf = (name) =>
    ({ CRM_READ_URL: addresses.read, CRM_INBOUND_URL: addresses.inbound })[name]?.replace(/\/$/, '') ?? values.of(name);
  for (const [node, text] of sampleTexts) {
    const filled = text.replaceAll(variables, (variable, ...names) => {
      const value = valueOf(names.slice(0, 5).find(Boolean));
      if (value === '') return variable;
      return /^process|^os/.test(variable) ? JSON.stringify(value) : value;
    });
    // Python: a text without variables is no f-string.
    node.data = filled.replace(/^f("[^{]*")$/, '$1');
  }
};

const startFilling = () => {
  for (const place of all('.sample code, #get-started > pre:first-of-type code')) {
    const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      if (walker.currentNode.data.search(variables) !== -1)
        sampleTexts.set(walker.currentNode, walker.currentNode.data);
    }
  }
  fillSamples();
};

/** Passes the key and values to the page of the other gateway, which asks for them. Each page trusts only the other one's origin. */
const startSharing = () => {
  if (root.dataset.other === '') return;
  const { origin: other } = new URL(root.dataset.other);
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a');
    if (link?.origin !== other || other === location.origin || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    open(link.href, 'crm-other-gateway');
  });
  addEventListener('message', ({ origin, source, data }) => {
    if (origin !== other) return;
    if (data === 'values?')
      source.postMessage(
        values.inputs().map(({ name, value }) => [name, value]),
        other,
      );
    else for (const [name, value] of data) values.offer(name, value);
    fillSamples();
  });
  window.opener?.postMessage('values?', other);
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

/** JSON in pieces, with the classes of the samples. */
function* colour(json) {
  let end = 0;
  for (const match of json.matchAll(/("(?:\\.|[^"\\])*")(?=(:)?)|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/g)) {
    const [piece, text, colon] = match;
    const className = colon ? 'name' : text ? 'text' : /^[tfn]/.test(piece) ? 'word' : 'number';
    yield json.slice(end, match.index);
    yield element('span', piece, { className });
    end = match.index + piece.length;
  }
  yield json.slice(end);
}

const showAnswer = (place, response, text, ms) => {
  const line = element('p', '', { className: 'status' });
  const statusClass = response.ok ? 'good' : 'bad';
  line.append(element('b', `${response.status} ${response.statusText}`, { className: statusClass }), ` · ${ms} ms`);
  const headers = element('details', '');
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
  headers.append(element('summary', `Headers (${lines.length})`), element('pre', lines.join('\n'), { tabIndex: 0 }));
  const body = element('pre', '', { tabIndex: 0, className: 'body' });
  try {
    // Formatted by JSON.stringify, which preserves all numbers of this API.
    body.append(...colour(JSON.stringify(JSON.parse(text), null, 2)));
  } catch {
    body.textContent = text;
  }
  place.replaceChildren(line, headers, body);
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
      fillSamples();
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
  if (byId('values-form') !== null) {
    values.start();
    startFilling();
    startSharing();
    startRequests();
  }
  if (location.hash !== '') openTarget();
  addEventListener('hashchange', openTarget);
});
