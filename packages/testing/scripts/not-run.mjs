// Lists the tests that a run skipped, with the command that runs them.
import { installCommand, missingPrograms } from './programs.mjs';

const commands = { test: 'npm test', system: 'npm run test:system', soak: 'npm run test:soak' };

const reasonOf = ({ tier, needs }, ranTier) => {
  if (tier !== ranTier) return [commands[tier], ...(needs.length > 0 ? [`needs ${needs.join(', ')}`] : [])].join(', ');
  const missing = missingPrograms(needs);
  return `needs ${missing.join(', ')}: ${installCommand(missing)}`;
};

/**
 * Prints the tests that did not run, and why.
 * @param {readonly import('./test-files.mjs').TestFile[]} all
 * @param {readonly import('./test-files.mjs').TestFile[]} ran
 * @param {'test' | 'system' | 'soak'} tier
 */
export const printNotRun = (all, ran, tier) => {
  const isLeftOut = (file) => !ran.includes(file);
  const others = all.filter((file) => isLeftOut(file) && file.tier !== 'test');
  console.log('\nNot run:');
  if (tier !== 'test')
    console.log(`  the tests of ${commands.test}${tier === 'soak' ? ' that have no larger size' : ''}`);
  for (const file of others) {
    const numbers = file.requirements.length > 0 ? `${file.requirements.join(', ')}: ` : '';
    console.log(`  ${numbers}${file.path} (${reasonOf(file, tier)})`);
  }
  if (tier === 'test') console.log('  these tests on the PostgreSQL of Debian (npm run test:system, needs postgresql)');
  const larger = ran.filter(({ hasSoakSize }) => hasSoakSize);
  if (tier === 'soak' || larger.length === 0) return;
  const numbers = [...new Set(larger.flatMap(({ requirements }) => requirements))].sort(byNumber);
  console.log(`  the full sizes of ${larger.length} files, of ${numbers.join(', ')} among others (${commands.soak})`);
};

const byNumber = (a, b) => Number(a.slice(1)) - Number(b.slice(1));
