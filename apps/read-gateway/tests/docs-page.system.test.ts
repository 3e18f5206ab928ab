/** @needs chromium */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { describeInBrowser, startBrowser } from './support/browser.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const sizes = [1280, 390] as const;
const schemes = ['light', 'dark'] as const;
const views = sizes.flatMap((width) => schemes.map((scheme) => [width, scheme] as const));

describeInBrowser('the page of the reference', () => {
  let gateway: TestGateway;
  let browser: Browser;
  let screenshots: string;
  beforeAll(async () => {
    gateway = await startTestGateway();
    browser = await startBrowser();
    screenshots = process.env['SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'crm-docs-page.')));
  });
  afterAll(async () => {
    await (browser as Browser | undefined)?.close();
    await gateway.stop();
  });

  /** Opens a page. `complaints` lists its console messages and its requests to other addresses. */
  const open = async (
    width: number,
    colorScheme: (typeof schemes)[number],
    path = '/docs',
  ): Promise<{ page: Page; complaints: string[] }> => {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${gateway.url}/`)) complaints.push(`asked ${request.url()}`);
    });
    await page.goto(`${gateway.url}${path}`);
    return { page, complaints };
  };

  const take = async (page: Page, name: string): Promise<void> => {
    await page.screenshot({ path: join(screenshots, `${name}.png`) });
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
    await take(page, `${width}-${scheme}-top`);
    const refused = await send(page, 'listAccounts');
    expect(await refused.innerText()).toContain('needs an API key');
    await enterKey(page, gateway.organization.key);
    const accounts = await send(page, 'listAccounts');
    await accounts.locator('.status').waitFor();
    expect(await accounts.locator('.status').innerText()).toMatch(/^200 OK · \d+ ms$/);
    expect(await accounts.locator('summary').innerText()).toMatch(/^Headers \(\d+\)$/);
    expect(await accounts.locator('.body').innerText()).toContain('"has_more": false');
    await take(page, `${width}-${scheme}-answer`);

    // The answer of listPipelines fills in the id for this request.
    await (await send(page, 'listPipelines')).locator('.status').waitFor();
    const stages = await send(page, 'listPipelineStages');
    await stages.locator('.status').waitFor();
    expect(await stages.locator('.status').innerText()).toContain('200 OK');
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
    await take(page, `${width}-${scheme}-operation`);
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
    await take(page, `${width}-${scheme}-search`);
    const links = page.locator('#navigation li a').filter({ visible: true });
    expect(await links.locator('span').first().innerText()).toBe('Search contacts');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#searchContacts$/);
    expect(await page.locator('#searchContacts').boundingBox()).toMatchObject({ y: expect.closeTo(72, -2) as unknown });
    expect(complaints).toEqual([]);
    await page.close();
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
