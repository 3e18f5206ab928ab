// Starts the files of /tests first: they take the longest, and one that starts last keeps only one core busy.
const rank = ({ path, context }) => (path.startsWith(`${context.config.rootDir}/tests/`) ? 0 : 1);

module.exports = class extends require('@jest/test-sequencer').default {
  sort = (tests) => super.sort(tests).sort((one, other) => rank(one) - rank(other));
};
