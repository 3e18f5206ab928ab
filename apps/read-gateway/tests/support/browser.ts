import { chromium, type Browser } from 'playwright-core';

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

/** Starts Debian's Chromium headless with an empty profile. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: '/usr/bin/chromium', args: launchArguments });
