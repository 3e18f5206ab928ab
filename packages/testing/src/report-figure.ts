import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reports a measured figure of a requirement. The table at the end of `npm test`, `npm run test:system` and
 * `npm run test:soak` contains it.
 * @param requirement its number, such as `R14`
 * @param what the figure's name and unit, such as `requests dropped` or `slowest answer, ms`
 * @param required the bound of the requirement, such as `0` or `<= 20000`; `printed` if there is no bound
 */
export const reportFigure = (
  requirement: `R${number}`,
  what: string,
  reached: number | string,
  required: number | string,
): void => {
  const folder = process.env['CRM_FIGURES_DIR'];
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    const line = JSON.stringify({ requirement, what, reached, required });
    // Short lines are written whole, even if several processes append at the same time.
    appendFileSync(join(folder, 'figures.jsonl'), `${line}\n`);
  }
  process.stdout.write(`${requirement}: ${what}: ${reached} (required: ${required})\n`);
};
