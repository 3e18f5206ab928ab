import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const defaultFolder = fileURLToPath(new URL('../../../node_modules/.cache/crm-figures/', import.meta.url));

/**
 * Reports the figure that a test of a requirement reached, for the table that `npm test`, `npm run test:system` and
 * `npm run test:soak` end with.
 * @param requirement its number, as in `R14`
 * @param what the figure's name and unit, as in `requests dropped` or `slowest answer, ms`
 * @param required the bound of the requirement, as in `0` or `<= 20000`; `printed` if there is no bound
 */
export const reportFigure = (
  requirement: `R${number}`,
  what: string,
  reached: number | string,
  required: number | string,
): void => {
  const folder = process.env['CRM_FIGURES_DIR'] ?? defaultFolder;
  mkdirSync(folder, { recursive: true });
  const line = JSON.stringify({ requirement, what, reached, required });
  // Short lines reach a file whole, also when several processes append at once.
  appendFileSync(join(folder, 'figures.jsonl'), `${line}\n`);
  process.stdout.write(`${requirement}: ${what}: ${reached} (required: ${required})\n`);
};
