import { describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { createTestGateway } from './support.js';

const openApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Test <gateway>', version: '1.0.0', description: 'A gateway.' },
  paths: {},
};
const { app } = createTestGateway({ openApiDocument, otherGatewayUrl: 'https://other.example/crm/' });

const readPage = async (path = '/docs') => {
  const { text } = await request(app).get(path).expect(200);
  const addresses = [...text.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address ?? '');
  return { text, addresses, assets: addresses.filter((address) => /^docs\/[0-9a-f]{16}\//.test(address)) };
};

const policyOf = (header: string | undefined): Readonly<Record<string, string>> =>
  Object.fromEntries((header ?? '').split('; ').map((part) => part.split(/ (.*)/s).slice(0, 2) as [string, string]));

describe('GET /docs', () => {
  it('needs no key and may load and call only its own gateway', async () => {
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
      'img-src': "'self'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    });
  });

  it.each(['/docs', '/docs/contract'])(
    '%s has only relative addresses and no inline script or style, and escapes the document',
    async (path) => {
      const { text, addresses } = await readPage(path);
      expect(addresses.length).toBeGreaterThan(0);
      const others = addresses.filter((address) => !/^(#|(\.\.\/)?docs(\/|$)|openapi\.json$)/.test(address));
      expect(others).toEqual(path === '/docs' ? ['https://other.example/crm/docs'] : []);
      expect(text).not.toMatch(/<script(?![^>]* src=)|<style| style=|\son\w+=/);
      expect(text).not.toContain('<gateway>');
      if (path === '/docs') expect(text).toContain('<h1>Test &lt;gateway&gt;</h1>');
    },
  );

  it('is 404 if there is no document to show', async () => {
    await request(createTestGateway().app).get('/docs').expect(404);
  });
});

describe('the assets of the page', () => {
  const types: Readonly<Record<string, string>> = {
    js: 'text/javascript; charset=utf-8',
    css: 'text/css; charset=utf-8',
    svg: 'image/svg+xml',
  };

  it('are served with their type and may be cached forever', async () => {
    const { assets } = await readPage();
    expect(assets.map((address) => address.split('/')[2]).sort()).toEqual([
      'icon.svg',
      'reference.css',
      'reference.js',
    ]);
    for (const address of assets) {
      const { headers } = await request(app).get(`/${address}`).set('Accept-Encoding', 'identity').expect(200);
      expect(headers['content-type']).toBe(types[address.split('.').at(-1) ?? '']);
      expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
      expect(headers['x-content-type-options']).toBe('nosniff');
    }
  });

  it('are compressed for clients that accept it', async () => {
    const { assets } = await readPage();
    const path = `/${assets.find((address) => address.endsWith('reference.css')) ?? ''}`;
    const plain = await request(app).get(path).set('Accept-Encoding', 'identity').expect(200);
    const packed = await request(app).get(path).set('Accept-Encoding', 'gzip').expect(200);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers['vary']).toBe('Accept-Encoding');
    expect(Number(packed.headers['content-length'])).toBeLessThan(Number(plain.headers['content-length']) / 2);
    expect(packed.text).toBe(plain.text);
  });

  it('that are unknown get 404 in the envelope, never cached', async () => {
    for (const path of ['/docs/', '/docs/reference.css', '/docs/0123456789abcdef/reference.js']) {
      const answer = await request(app).get(path).expect(404);
      expect(answer.body).toMatchObject({ success: false, statusCode: 404, code: 'not_found' });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });
});
