// The pages of the whole repository, and the files of docker/observability that they describe.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createClient } from '@crm/client';
import { type OpenApiDocument, readSamples } from '@crm/reference';
import { describe, expect, it, test } from '@jest/globals';
import type { Command } from 'commander';
import { createProgram } from '@crm/cli';
import { metricsIn, readAlarms, readPanels } from './support/observability-files.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const readOpenApi = (gateway: string) => JSON.parse(read(`docs/openapi/${gateway}-gateway.json`)) as OpenApiDocument;

describe('the pages', () => {
  const skipped = new Set(['node_modules', 'dist', '.git', '.turbo', '.crm', '.crm-bench', 'generated', 'coverage']);

  const pagesIn = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      if (skipped.has(entry.name)) return [];
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return pagesIn(path);
      return entry.name.endsWith('.md') ? [path] : [];
    });

  /** The links of a page, without those in its code. */
  const linksOf = (file: string): string[] => {
    const page = readFileSync(file, 'utf8').replace(/^```[^]*?^```$/gm, '');
    const prose = page.replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = '']) => (/^[a-z]+:/.test(link) ? [] : [link]));
  };

  /** The anchors that GitHub gives to the headings of a page. */
  const anchorsOf = (page: string): string[] =>
    [...page.replace(/^```[^]*?^```$/gm, '').matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    );

  const isBroken = (file: string, link: string): boolean => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  };

  it('link only to existing pages and headings', () => {
    const links = pagesIn(root).flatMap((file) => linksOf(file).map((link) => [file, link] as const));
    expect(links.length).toBeGreaterThan(100);
    const broken = links.filter(([file, link]) => isBroken(file, link));
    expect(broken.map(([file, link]) => `${relative(root, file)}: ${link}`)).toEqual([]);
  });

  it('are all reachable from the first one', () => {
    const seen = new Set([join(root, 'README.md')]);
    for (const file of seen) {
      for (const link of linksOf(file)) {
        const target = join(dirname(file), link.split('#')[0] ?? '');
        if (target.endsWith('.md') && existsSync(target)) seen.add(target);
      }
    }
    const lost = pagesIn(join(root, 'docs')).filter((page) => !seen.has(page));
    expect(lost.map((page) => relative(root, page))).toEqual([]);
  });
});

describe('the command lines of the pages', () => {
  /** The command lines of `crm` in shell blocks and code, without anything after a pipe. */
  const commandLines = (page: string): string[] =>
    [...page.replace(/\\\n\s*/g, ' ').matchAll(/(?:npx @crm\/cli|`crm) ([^\n`|#]+)/g)].map(([, line = '']) =>
      line.trim(),
    );

  /** The command or option of a command line that the program does not have, or null. */
  const unknownPart = (program: Command, line: string): string | null => {
    let command = program;
    let rest = line.replace(/"[^"]*"/g, 'x').split(/\s+/);
    const next = (): Command | undefined => command.commands.find((each) => each.name() === rest[0]);
    for (let child = next(); child !== undefined; child = next()) {
      command = child;
      rest = rest.slice(1);
    }
    // crm import takes a file, in addition to its subcommand init.
    const takesCommand = command.commands.length > 0 && command.registeredArguments.length === 0;
    if (takesCommand && rest[0] !== undefined && /^[a-z]/.test(rest[0])) return rest[0];
    const options = new Set(['--help', ...command.options.flatMap(({ long, short }) => [long, short])]);
    return rest.find((word) => word.startsWith('--') && !options.has(word.split('=')[0] ?? '')) ?? null;
  };

  it('use only commands and options that crm has', async () => {
    const sink = new PassThrough().resume();
    const onInterrupt = () => new AbortController().signal;
    const program = await createProgram({ env: {}, stdout: sink, stderr: sink, onInterrupt });
    const howTo = readdirSync(join(root, 'docs/how-to')).map((name) => `docs/how-to/${name}`);
    const manuals = ['README.md', 'docs/tutorial.md', 'docs/operating.md', 'packages/cli/README.md'];
    const pages = [...manuals, 'packages/cli/examples/README.md', 'packages/cli/src/commands/start.ts', ...howTo];
    const lines = pages.flatMap((path) => commandLines(read(path)));
    expect(lines.length).toBeGreaterThan(30);
    expect(lines.filter((line) => unknownPart(program, line) !== null)).toEqual([]);
    expect(unknownPart(program, 'key rotat --org ID')).toBe('rotat');
    expect(unknownPart(program, 'doctor --jsn')).toBe('--jsn');
  });
});

describe('the operations', () => {
  test('have TypeScript samples that each call another method of the client', () => {
    const samples = (['read', 'inbound'] as const).flatMap((gateway) => readSamples(readOpenApi(gateway), gateway));
    const methods = samples.flatMap(({ typescript }) => /\bcrm\.\w+\.\w+/.exec(typescript) ?? []);
    expect(methods.length).toBeGreaterThan(50);
    expect(new Set(methods).size).toBe(methods.length);
    const client = createClient({ readUrl: 'https://crm.example.com', apiKey: 'k' }) as object;
    const missing = methods.filter((method) => {
      const [, resource = '', name = ''] = method.split('.');
      const calls = (client as Record<string, Record<string, unknown> | undefined>)[resource];
      return typeof calls?.[name] !== 'function';
    });
    expect(missing).toEqual([]);
  });
});

describe('the alarms and the dashboard', () => {
  const manual = read('docs/operating.md');

  it('use only metrics that the manual describes, in PromQL', () => {
    const expressions = [
      ...readAlarms().map(({ expr }) => expr),
      ...readPanels().flatMap((panel) => panel.expressions),
    ];
    expect(expressions.length).toBeGreaterThan(20);
    const own = expressions.flatMap(metricsIn).filter((name) => name.startsWith('crm_'));
    const described = (name: string): boolean =>
      [name, name.replace('crm_database_pool', '')].some((text) => manual.includes(`\`${text}\``));
    expect(own.map((name) => name.replace(/_(bucket|count|sum)$/, '')).filter((name) => !described(name))).toEqual([]);
    expect(() => metricsIn('sum by (x) rate(up[5m])')).toThrow('not PromQL');
  });

  it('have a section of the manual for every alarm: what it means and what to do', () => {
    for (const { alert, annotations, labels } of readAlarms()) {
      expect(annotations.runbook).toBe(`docs/operating.md#${alert.toLowerCase()}`);
      expect(manual).toMatch(new RegExp(`^### ${alert}\\n\\n\\w[^#]{80}`, 'm'));
      expect(['page', 'ticket']).toContain(labels.severity);
    }
    const sections = [...manual.matchAll(/^### (Crm\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(
      readAlarms()
        .map(({ alert }) => alert)
        .sort(),
    );
  });
});
