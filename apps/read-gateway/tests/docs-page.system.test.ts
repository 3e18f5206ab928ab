/** @needs chromium */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { operators } from '@crm/domain';
import { testSize } from '@crm/testing';
import type { Browser, Locator, Page } from 'playwright-core';
import { startBrowser } from './support/browser.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const sizes = [1280, 390] as const;
/** Each size and each scheme; in the soak tier, each of their pairs. */
const views = (
  [
    [1280, 'light'],
    [390, 'dark'],
    [1280, 'dark'],
    [390, 'light'],
  ] as const
).slice(0, testSize({ short: 2, soak: 4 }));

/** The address of the inbound gateway. Only the test of handing over the key answers there. */
const otherUrl = 'http://inbound.test';

describe('the page of the reference', () => {
  let gateway: TestGateway;
  let url: string;
  let browser: Browser;
  beforeAll(async () => {
    gateway = await startTestGateway();
    ({ url } = await gateway.start({ environment: { OTHER_GATEWAY_URL: otherUrl } }));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await gateway.stop();
  });

  /** Opens a page. `complaints` lists its console messages and its requests to other addresses. */
  const open = async (
    width: number,
    colorScheme: 'light' | 'dark',
    path = '/docs',
  ): Promise<{ page: Page; complaints: string[] }> => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${url}/`)) complaints.push(`asked ${request.url()}`);
    });
    await page.goto(`${url}${path}`);
    return { page, complaints };
  };

  /** Elements that are wider than their container and do not scroll by themselves. */
  const overflowing = (page: Page): Promise<string[]> =>
    page
      .locator('html, body, main, section, .fields li, details, header, #navigation')
      .evaluateAll((elements) =>
        elements
          .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth)
          .map(({ id, className, tagName }) => `${tagName} ${id} ${className}`),
      );

  /** The lightness of the page's background, from 0 to 255. */
  const lightness = async (page: Page): Promise<number> =>
    Number(/\d+/.exec(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')));

  const enterKey = async (page: Page, key: string): Promise<void> => {
    await page.locator('#values > summary').click();
    await page.getByLabel('API key').fill(key);
  };

  const send = async (page: Page, id: string): Promise<Locator> => {
    const form = page.locator(`#${id} .try`);
    if ((await form.getAttribute('open')) === null) await form.locator('summary').first().click();
    await form.getByRole('button', { name: 'Send request' }).click();
    const answer = form.locator('.answer');
    await answer.locator('p').first().waitFor();
    return answer;
  };

  test.each(views)('sends requests with one key, %i pixels wide, %s', async (width, scheme) => {
    const { page, complaints } = await open(width, scheme);
    const refused = await send(page, 'listAccounts');
    expect(await refused.innerText()).toContain('needs an API key');
    await enterKey(page, gateway.organization.key);
    const accounts = await send(page, 'listAccounts');
    await accounts.locator('.status').waitFor();
    expect(await accounts.locator('.status').innerText()).toMatch(/^200 OK · \d+ ms$/);
    expect(await accounts.locator('summary').innerText()).toMatch(/^Headers \(\d+\)$/);
    expect(await accounts.locator('.body').innerText()).toContain('"has_more": false');
    expect(await accounts.locator('.body .word').first().innerText()).toBe('true');
    const body = `document.querySelector('#listAccounts .body')`;
    expect(await page.evaluate(`getComputedStyle(${body}).whiteSpace`)).toBe('pre');

    // The answer of listPipelines fills in the id for this request.
    await (await send(page, 'listPipelines')).locator('.status').waitFor();
    const stages = await send(page, 'listPipelineStages');
    await stages.locator('.status').waitFor();
    expect(await stages.locator('.status').innerText()).toContain('200 OK');
    const sample = page.locator('#listPipelineStages .sample').filter({ visible: true });
    const { id } = gateway.organization.pipeline;
    expect(await sample.innerText()).toBe(
      `curl -sS --fail-with-body \\\n  "${url}/v1/pipelines/${id}/stages?limit=2" \\\n  -H "x-api-key: $CRM_API_KEY"`,
    );
    await page.locator('#listPipelineStages .tabs').getByRole('button', { name: 'Python' }).click();
    expect(await sample.innerText()).toContain(`(\n    "${url}/v1/pipelines/${id}`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  test.each(views)('shows all content within its width, %i pixels wide, %s', async (width, scheme) => {
    const { page, complaints } = await open(width, scheme);
    await page.evaluate(`document.querySelectorAll('details').forEach((details) => details.setAttribute('open', ''))`);
    for (const language of ['TypeScript', 'Python', 'curl']) {
      await page.locator('#searchOpportunities .tabs').getByRole('button', { name: language }).click();
      expect(await overflowing(page)).toEqual([]);
    }
    expect(await page.locator('#searchOpportunities .sample').filter({ visible: true }).innerText()).toMatch(/^curl /);
    await page.locator('#searchOpportunities').scrollIntoViewIfNeeded();
    const contract = await open(width, scheme, '/docs/contract');
    expect(await contract.page.locator('h1').innerText()).toBe('The contract');
    expect(await overflowing(contract.page)).toEqual([]);
    expect([...complaints, ...contract.complaints]).toEqual([]);
    await Promise.all([page.close(), contract.page.close()]);
  });

  test.each(views)('finds operations by keyboard, %i pixels wide, %s', async (width, scheme) => {
    const { page, complaints } = await open(width, scheme);
    await page.keyboard.press('/');
    await page.keyboard.type('search contact');
    await page.locator('#found', { hasText: /^\d+ found$/ }).waitFor();
    const links = page.locator('#navigation li a').filter({ visible: true });
    expect(await links.locator('span').first().innerText()).toBe('Search contacts');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#searchContacts$/);
    expect(await page.locator('#searchContacts').boundingBox()).toMatchObject({ y: expect.closeTo(72, -2) as unknown });
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('finds words in both documents and in the contract', async () => {
    const { page, complaints } = await open(1280, 'light');
    for (const [words, href] of [
      ['cursor', 'docs/contract#pages'],
      ['429', 'docs#error-TooManyRequests'],
      ['rate limit', 'docs/contract#rate-limits'],
      ['custom_fields', 'docs/contract#custom-fields'],
      ['deal', 'docs#listOpportunities'],
      ['delete', `${otherUrl}/docs#deleteContact`],
      ['on_match', `${otherUrl}/docs#createContact`],
      ['between', 'docs#object-FilterCondition'],
    ] as const) {
      await page.locator('#search').fill(words);
      const result = page.locator(`#results a[href$="${href}"]`);
      await result.first().waitFor();
      expect([words, await result.count()]).toEqual([words, 1]);
      expect(await page.locator('#results').innerText()).not.toMatch(/<!--|\]\(/);
    }
    expect(complaints).toEqual([]);
    await page.close();
  });

  test('shows the variants of a filter, a nested example, and each operator with its value and its fields', async () => {
    const { page } = await open(1280, 'light', '/docs#object-Filter');
    const filter = page.locator('#object-Filter');
    expect(await filter.locator('.type').innerText()).toBe('FilterCondition or FilterAnd or FilterOr or FilterNot');
    expect(await filter.locator('pre').innerText()).toContain('"not": {');
    await filter.getByRole('link', { name: 'FilterCondition' }).click();
    const rows = await page.locator('#object-FilterCondition tbody tr').allInnerTexts();
    const shown = rows.flatMap((row) => row.split('\t')[0]?.split(' ') ?? []);
    expect(shown.sort()).toEqual([...operators].sort());
    expect(rows).toContain('between\t\ttwo values, the lower first\tnumbers, dates, times');
    for (const name of ['FilterAnd', 'FilterOr', 'FilterNot', 'SortKey'])
      expect([name, (await page.locator(`#object-${name}`).textContent())?.replace(name, '') !== '']).toEqual([
        name,
        true,
      ]);
    await page.close();
  });

  test('says next to each operation which group a key needs', async () => {
    const { page } = await open(1280, 'light');
    const texts = await page.locator('.operation > .text').allInnerTexts();
    const silent = texts.filter((text) => !/Needs a key that allows \w+ or \w+\./.test(text));
    expect(silent.map((text) => text.split('\n')[0])).toEqual([
      'Whether the gateway runs',
      'Whether the gateway can serve requests',
      // Messages of webhooks are received, not called.
      ...['An event', 'An event without values', 'A test'],
    ]);
    await page.close();
  });

  test.each(sizes)('shows the links and the current place at once, %i pixels wide', async (width) => {
    const { page } = await open(width, 'light', '/docs#listMembers');
    await expect(page.getByRole('link', { name: 'Inbound gateway' }).boundingBox()).resolves.toMatchObject({
      y: expect.closeTo(44, -2) as unknown,
    });
    const marked = page.locator('#navigation a[aria-current]', { hasText: 'List members' });
    await marked.waitFor({ state: 'attached' });
    // A click by Playwright would scroll the page.
    if (width < 800) await page.locator('#menu').dispatchEvent('click');
    expect((await marked.boundingBox())?.y).toBeLessThan(860);
    await page.close();
  });

  test('learns the ids that a create answers', async () => {
    const { page } = await open(1280, 'light');
    await enterKey(page, gateway.organization.key);
    const data = { opportunity_id: 'o-1', company_id: 'a-1', people_id: 'c-1', contacts: [{ note_id: 'n-1' }] };
    await page.route('**/v1/key', (route) => route.fulfill({ json: { success: true, data } }));
    await (await send(page, 'getKey')).locator('.status').waitFor();
    for (const [name, value] of [
      ['OPPORTUNITY', 'o-1'],
      ['ACCOUNT', 'a-1'],
      ['CONTACT', 'c-1'],
      ['NOTE', 'n-1'],
    ])
      expect(await page.locator(`#value-${name}_ID`).inputValue()).toBe(value);
    await page.close();
  });

  test('hands the key over to the page of the other gateway, and to no other page', async () => {
    const context = await browser.newContext();
    await context.route(/^http:\/\/(inbound|foreign)\.test\//, async (route) => {
      const { pathname } = new URL(route.request().url());
      const response = await fetch(`${url}${pathname}`);
      const type = response.headers.get('content-type') ?? '';
      const body = Buffer.from(await response.arrayBuffer());
      const text = body.toString().replaceAll(otherUrl, url);
      await route.fulfill({ contentType: type, body: type.startsWith('text/html') ? text : body });
    });
    const page = await context.newPage();
    await page.goto(`${url}/docs`);
    await enterKey(page, gateway.organization.key);
    const [other] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Inbound gateway' }).click(),
    ]);
    await other.waitForFunction(`(document.getElementById('value-key')?.value ?? '') !== ''`);
    expect(await other.locator('#value-key').inputValue()).toBe(gateway.organization.key);
    const [foreign] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate(`void open('http://foreign.test/docs')`),
    ]);
    await foreign.waitForLoadState();
    // A later answer would arrive before this one, because messages keep their order.
    await page.evaluate(`new Promise((resolve) => { addEventListener('message', resolve); postMessage('', '*'); })`);
    expect(await foreign.locator('#value-key').inputValue()).toBe('');
    await context.close();
  });

  test.each(views)('switches the theme for this tab, %i pixels wide, %s', async (width, scheme) => {
    const { page } = await open(width, scheme);
    const isLight = async () => (await lightness(page)) > 128;
    expect(await isLight()).toBe(scheme === 'light');
    await page.getByRole('button', { name: 'Switch between light and dark' }).click();
    expect(await isLight()).toBe(scheme !== 'light');
    await page.reload();
    expect(await isLight()).toBe(scheme !== 'light');
    const { page: another } = await open(width, scheme);
    expect(await lightness(another)).not.toBe(await lightness(page));
    await Promise.all([page.close(), another.close()]);
  });

  test('forgets the key when the tab is closed', async () => {
    const { page } = await open(1280, 'light');
    await enterKey(page, gateway.organization.key);
    await page.reload();
    expect(await page.locator('#value-key').inputValue()).toBe(gateway.organization.key);
    const { page: another } = await open(1280, 'light');
    expect(await another.locator('#value-key').inputValue()).toBe('');
    await Promise.all([page.close(), another.close()]);
  });
});
