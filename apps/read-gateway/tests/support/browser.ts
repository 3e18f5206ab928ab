import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const missing = `${executablePath} is missing. Install it with: apt-get install -y --no-install-recommends chromium`;

/** Keeps the browser's own features off the network. Chromium's sandbox does not work as root. */
const launchArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Debian's Chromium headless with an empty profile. @throws Error that says how to install it if it is missing */
export const startBrowser = async (): Promise<Browser> => {
  if (!existsSync(executablePath)) throw new Error(missing);
  return chromium.launch({ executablePath, args: launchArguments });
};

/**
 * `describe` for tests in a browser. Without Chromium the tests are skipped on a developer's machine, with a warning and a note in
 * the report. Where all tests have to run, they fail.
 */
export const describeInBrowser = (name: string, tests: () => void): void => {
  if (existsSync(executablePath) || process.env['CI'] === 'true') {
    describe(name, tests);
    return;
  }
  console.warn(`Skipped: ${name}. ${missing}`);
  describe.skip(`${name} (skipped: ${missing})`, tests);
};
