// Builds changed packages and shows one line. Shows the whole output only if the build fails.
//   node .ci/build-quietly.mjs [options of turbo run build ...]
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const redrawEveryMs = 200;

/** Redraws one line on a terminal. Elsewhere prints one message. */
const showProgress = (stream) => {
  const startedMs = performance.now();
  let task = '';
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  if (!stream.isTTY) stream.write('Building (about a minute the first time)\n');
  const draw = () => stream.write(`\r\x1b[KBuilding ${task} (${seconds()} s)`);
  const timer = stream.isTTY ? setInterval(draw, redrawEveryMs) : undefined;
  return {
    onTask: (name) => {
      task = name;
    },
    stop: () => {
      clearInterval(timer);
      if (stream.isTTY) stream.write('\r\x1b[K');
    },
  };
};

/**
 * Runs `turbo run build` in a repository.
 * @returns {Promise<number>} its exit code; 130 after Ctrl-C
 */
export const buildQuietly = async (root, options = [], stream = process.stderr) => {
  const args = ['run', 'build', '--output-logs=full', ...options];
  const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' };
  const progress = showProgress(stream);
  const output = [];
  const child = spawn(join(root, 'node_modules/.bin/turbo'), args, {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const passOn = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, passOn);
  for (const part of [child.stdout, child.stderr]) {
    part.on('data', (chunk) => {
      output.push(chunk);
      // Turbo puts `package:task: ` in front of every line of a task.
      progress.onTask(/^(@?[\w/-]+):[\w:-]+: /m.exec(String(chunk))?.[1] ?? '');
    });
  }
  const code = await new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => done(exitCode ?? 130));
  }).finally(progress.stop);
  for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, passOn);
  if (code !== 0 && code !== 130) stream.write(Buffer.concat(output));
  return code;
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await buildQuietly(resolve(), process.argv.slice(2));
}
