/** @needs chromium */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import { describeInBrowser, startBrowser } from './support/browser.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const unknownId = '01890000-0000-7000-8000-000000000000';

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

  /** Opens the page; `complaints` is what its console said and which requests it sent elsewhere. */
  const open = async (width: number): Promise<{ page: Page; complaints: string[] }> => {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith(`${gateway.url}/`) && !url.startsWith('data:')) complaints.push(`asked ${url}`);
    });
    await page.goto(`${gateway.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    return { page, complaints };
  };

  const enterKey = async (page: Page, key: string): Promise<void> => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const dialog = page.locator('.dialog-ux');
    await dialog.locator('input').fill(key);
    await page.screenshot({ path: join(screenshots, `${String(page.viewportSize()?.width)}-key.png`) });
    await dialog.getByRole('button', { name: /apply/i }).click();
    await dialog.getByRole('button', { name: 'Close', exact: true }).click();
  };

  /** What is wider than its place: it would lie over its neighbour, or make the page scroll sideways. */
  const overflowing = (page: Page): Promise<string[]> =>
    page
      .locator('html, .parameter__name, .parameter__type, .opblock-body td')
      .evaluateAll((elements) =>
        elements
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ className, tagName }) => `${tagName} ${className}`),
      );

  /** Names of parameters that are broken over lines: they are higher than the lowest. */
  const brokenNames = async (page: Page): Promise<string[]> => {
    const names: { text: string; height: number }[] = [];
    for (const name of await page.locator('.parameter__name').all()) {
      names.push({ text: await name.innerText(), height: (await name.boundingBox())?.height ?? 0 });
    }
    const lowest = Math.min(...names.map(({ height }) => height));
    return names.filter(({ height }) => height > 1.5 * lowest).map(({ text }) => text);
  };

  const operation = (page: Page, id: string): Locator => page.locator(`.opblock[id$="-${id}"]`);

  const send = async (page: Page, id: string, parameters: Readonly<Record<string, string>>): Promise<Locator> => {
    const block = operation(page, id);
    if ((await block.locator('.opblock-body').count()) === 0) await block.locator('.opblock-summary-control').click();
    for (const [name, value] of Object.entries(parameters)) {
      await block.locator(`tr[data-param-name="${name}"] input`).fill(value);
    }
    await block.getByRole('button', { name: 'Execute' }).click();
    const answer = block.locator('.live-responses-table .response');
    await answer.waitFor();
    return answer;
  };

  test.each([1280, 390])('lets a reader try operations with one key, %i px wide', async (width) => {
    const { page, complaints } = await open(width);
    await page.screenshot({ path: join(screenshots, `${width}-opened.png`), fullPage: true });
    await enterKey(page, gateway.organization.key);
    const accounts = await send(page, 'listAccounts', {});
    expect(await accounts.locator('.response-col_status').innerText()).toContain('200');
    expect(await accounts.innerText()).toContain('"has_more": false');
    await operation(page, 'listAccounts').screenshot({ path: join(screenshots, `${width}-answer.png`) });
    expect(await overflowing(page)).toEqual([]);
    expect(await brokenNames(page)).toEqual([]);
    expect(await page.getByText('No links').filter({ visible: true }).count()).toBe(0);
    expect(complaints).toEqual([]);

    const stages = await send(page, 'listPipelineStages', { id: unknownId });
    expect(await stages.locator('.response-col_status').innerText()).toContain('404');
    expect(await stages.innerText()).toContain('"statusCode": 404');
    await operation(page, 'listPipelineStages').screenshot({ path: join(screenshots, `${width}-error.png`) });
    // The browser itself reports the status; nothing else may have been said.
    expect(complaints).toEqual([expect.stringContaining('404')]);
    await page.close();
  });
});
