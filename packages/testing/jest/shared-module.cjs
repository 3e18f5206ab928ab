// Replaces the text of a module with a call that loads it outside of the test file's environment; see environment.cjs.
module.exports = {
  process: (_text, path) => ({ code: `module.exports = requireShared(${JSON.stringify(path)});` }),
  getCacheKey: (_text, path) => path,
};
