import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTestGateway } from './support.js';

const { app } = createTestGateway({ openApiDocument: { openapi: '3.1.0' } });

const readPage = async () => {
  const { text } = await request(app).get('/docs').expect(200);
  const addresses = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? '');
  return { text, addresses, assets: addresses.filter((address) => address.startsWith('docs/')) };
};

const policyOf = (header: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((header ?? '').split('; ').map((part) => part.split(/ (.*)/s).slice(0, 2) as [string, string]));

describe('GET /docs', () => {
  it('is a page without a key that may load and ask nothing but its own gateway', async () => {
    const { headers } = await request(app).get('/docs').expect(200);
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(policyOf(headers['content-security-policy'])).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  it('has relative addresses only, and neither script nor style of its own', async () => {
    const { text, addresses } = await readPage();
    expect(addresses.length).toBeGreaterThan(0);
    for (const address of addresses) expect(address).toMatch(/^(docs\/[0-9a-f]{16}\/[a-z0-9.-]+|openapi\.json)$/);
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|style="|\son\w+=/);
  });

  it('answers HEAD with the head alone, and 405 to other methods', async () => {
    const head = await request(app).head('/docs').expect(200);
    expect(head.text).toBeUndefined();
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength((await readPage()).text)));
    const refused = await request(app).post('/docs').expect(405);
    expect(refused.headers).toMatchObject({ allow: 'GET, HEAD' });
    expect(refused.body).toMatchObject({ success: false, statusCode: 405 });
  });

  it('is absent where there is no document to show', async () => {
    await request(createTestGateway().app).get('/docs').expect(404);
  });
});

describe('the assets of the page', () => {
  const types: Readonly<Record<string, string>> = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    png: 'image/png',
  };

  it('are served with their type and may be kept for good', async () => {
    const { assets } = await readPage();
    expect(assets.map((address) => address.split('/')[2]).sort()).toEqual([
      'favicon-32x32.png',
      'own.css',
      'start.js',
      'swagger-ui-bundle.js',
      'swagger-ui.css',
    ]);
    for (const address of assets) {
      const { headers } = await request(app).get(`/${address}`).set('Accept-Encoding', 'identity').expect(200);
      expect(headers['content-type']).toBe(types[address.split('.').at(-1) ?? '']);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('are compressed for those who accept that', async () => {
    const { assets } = await readPage();
    const path = `/${assets.find((address) => address.endsWith('swagger-ui.css')) ?? ''}`;
    const plain = await request(app).get(path).set('Accept-Encoding', 'identity').expect(200);
    const packed = await request(app).get(path).set('Accept-Encoding', 'gzip').expect(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['vary']).toBe('Accept-Encoding');
    expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
    expect(packed.text).toBe(plain.text);
  });

  it('start the library with the document beside the page and keep no key', async () => {
    const { assets } = await readPage();
    const { text } = await request(app).get(`/${assets.find((address) => address.endsWith('start.js')) ?? ''}`);
    expect(text).toContain("url: 'openapi.json'");
    expect(text).toContain('persistAuthorization: false');
  });

  it.each(['/docs/', '/docs/swagger-ui.css', '/docs/0123456789abcdef/start.js', '/docs/../package.json'])(
    '%s is unknown: 404 in the envelope, kept by nobody',
    async (path) => {
      const answer = await request(app).get(path).expect(404);
      expect(answer.body).toEqual({
        success: false,
        message: expect.any(String) as unknown,
        statusCode: 404,
        code: 'not_found',
      });
      expect(answer.headers['cache-control']).toBe('no-store');
    },
  );
});
