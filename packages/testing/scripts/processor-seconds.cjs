const { readFileSync } = require('node:fs');

const ticksPerSecond = 100;

/**
 * Processor seconds of this process and of all its ended descendants, in user and kernel mode. Null where the system does not
 * count them.
 */
exports.processorSeconds = () => {
  try {
    // The name of the program comes first, in parentheses, and may contain spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    return null;
  }
};
