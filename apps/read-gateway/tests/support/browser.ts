import { existsSync } from 'node:fs';
import { describe } from '@jest/globals';
import { chromium, type Browser } from 'playwright-core';

const executablePath = '/usr/bin/chromium';
const missing = `${executablePath} is missing. Install it with: apt-get install -y --no-install-recommends chromium`;

/** Nothing of the browser's own may ask the network, and root may not have its sandbox. */
const launchArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Debian's Chromium without a window, on an empty profile. @throws Error saying how to install it when it is missing. */
export const startBrowser = async (): Promise<Browser> => {
  if (!existsSync(executablePath)) throw new Error(missing);
  return chromium.launch({ executablePath, args: launchArguments });
};

/**
 * `describe` for tests in a browser. Without one they are skipped on a developer's machine, which the report and a warning
 * say, and fail where all tests have to run.
 */
export const describeInBrowser = (name: string, tests: () => void): void => {
  if (existsSync(executablePath) || process.env['CI'] === 'true') {
    describe(name, tests);
    return;
  }
  console.warn(`Skipped: ${name}. ${missing}`);
  describe.skip(`${name} (skipped: ${missing})`, tests);
};
