// The order of the test files: those of /tests first, because they start whole stacks and take the longest. A long file that
// starts last keeps one core busy while the others have nothing to do. The rest follows in jest's own order.
const { join, sep } = require('node:path');
const Sequencer = require('@jest/test-sequencer').default;

module.exports = class extends Sequencer {
  sort(tests) {
    const isLong = ({ path, context }) => path.startsWith(join(context.config.rootDir, 'tests') + sep);
    const sorted = super.sort(tests);
    return [...sorted.filter(isLong), ...sorted.filter((test) => !isLong(test))];
  }
};
