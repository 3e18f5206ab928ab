#!/usr/bin/env node
// This launcher is plain JavaScript, so that `npx @crm/cli` works before the first build and can ask for it.
import { existsSync } from 'node:fs';

const built = new URL('../dist/main.js', import.meta.url);
if (!existsSync(built)) {
  process.stderr.write('crm is not built yet. In the repository, run: npm install && npm run build\n');
  process.exit(78);
}
await import(built.href);
