// Jest's environment, with a `require` that loads modules outside of it. Node loads each of those once per worker, so test
// files share the product. Both sides share these classes, so that `instanceof` and a changed clock work across them.
const { TestEnvironment } = require('jest-environment-node');

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

module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    Object.assign(this.global, sharedClasses, { requireShared: require });
  }
};
