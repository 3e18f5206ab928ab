// Resolves imports of test files. The product is resolved to its build, so that test files share it; tests and their
// support are resolved to their sources.
const { existsSync } = require('node:fs');
const { resolve, sep } = require('node:path');

module.exports = (request, options) => {
  if (options.basedir.includes('/node_modules/')) return options.defaultResolver(request, options);
  if (!/^\.{1,2}\//.test(request)) {
    return options.defaultResolver(request, { ...options, conditions: ['node', 'import', 'default'] });
  }
  const path = resolve(options.basedir, request);
  const built = path.replace(`${sep}src${sep}`, `${sep}dist${sep}`);
  if (built !== path && existsSync(built)) return built;
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(source) ? source : path;
};
