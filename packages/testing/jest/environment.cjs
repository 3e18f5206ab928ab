// Jest's environment, with a `require` that loads modules outside of it. Node loads each of those once per worker, so test
// files share the product. Both sides share these classes, so that `instanceof` and a changed clock work across them.
const { appendFileSync, mkdirSync } = require('node:fs');
const { join, relative } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');
const { processorSeconds } = require('../scripts/processor-seconds.cjs');

const sharedClasses = {
  Date,
  Error,
  EvalError,
  RangeError,
  ReferenceError,
  SyntaxError,
  TypeError,
  URIError,
  Map,
  Set,
};

const requireShared = (path) => {
  const loaded = require(path);
  const seed = process.env.FC_SEED;
  if (seed !== undefined && path.includes('/node_modules/fast-check/')) loaded.configureGlobal({ seed: Number(seed) });
  return loaded;
};

module.exports = class extends TestEnvironment {
  #path;
  #secondsBefore = processorSeconds();

  constructor(config, context) {
    super(config, context);
    this.#path = relative(config.globalConfig.rootDir, context.testPath);
    Object.assign(this.global, sharedClasses, { requireShared });
  }

  async teardown() {
    await super.teardown();
    const folder = process.env.CRM_FIGURES_DIR;
    if (folder === undefined || this.#secondsBefore === null) return;
    mkdirSync(folder, { recursive: true });
    const line = JSON.stringify({ path: this.#path, seconds: processorSeconds() - this.#secondsBefore });
    appendFileSync(join(folder, 'processor-time.jsonl'), `${line}\n`);
  }
};
