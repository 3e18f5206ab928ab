import { readFileSync } from 'node:fs';
import { createClient } from '@crm/client';
import { type OpenApiDocument, readSamples } from '@crm/reference';
import { describe, expect, it } from '@jest/globals';

const methodsOf = (gateway: 'read' | 'inbound'): readonly string[] => {
  const file = new URL(`../../../docs/openapi/${gateway}-gateway.json`, import.meta.url);
  const samples = readSamples(JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument, gateway);
  return samples.flatMap(({ typescript }) => /\bcrm\.\w+\.\w+/.exec(typescript) ?? []);
};

const methods = [...methodsOf('read'), ...methodsOf('inbound')];
const client: object = createClient({ readUrl: 'https://crm.example.com', apiKey: 'k' });

describe('the TypeScript samples of the reference', () => {
  it('call a different method for each operation', () => {
    expect(methods.length).toBeGreaterThan(50);
    expect(new Set(methods).size).toBe(methods.length);
  });

  it.each(methods)('%s is a method of the client', (method) => {
    const [, resource = '', name = ''] = method.split('.');
    const calls = (client as Record<string, Record<string, unknown> | undefined>)[resource];
    expect(typeof calls?.[name]).toBe('function');
  });
});
