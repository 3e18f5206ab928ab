import { readFileSync } from 'node:fs';

import { expect, test } from '@jest/globals';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** `/v1/{accounts,notes}/{id}` → `/v1/accounts/{id}`, `/v1/notes/{id}` */
const expand = (path: string): string[] => {
  const choice = /\{([^{}]+,[^{}]+)\}/.exec(path);
  if (choice === null) return [path];
  return (choice[1] ?? '').split(',').flatMap((name) => expand(path.replace(choice[0], name)));
};

const documented = (gateway: string): string[] => {
  const { paths } = JSON.parse(read(`docs/openapi/${gateway}-gateway.json`)) as { paths: Record<string, object> };
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/v1/'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
};

test('the table of README.md lists exactly the operations of the API', () => {
  const [, section = ''] = read('README.md').split('\n## Operations\n');
  const shown = [...section.matchAll(/`([A-Z,]+) (\/v1\/[^`]+)`/g)].flatMap(([, methods = '', path = '']) =>
    methods.split(',').flatMap((method) => expand(path).map((each) => `${method} ${each}`)),
  );
  expect(shown.sort()).toEqual(['read', 'inbound'].flatMap(documented).sort());
});
