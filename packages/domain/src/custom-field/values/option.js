import { fail, ok } from '../../result.js';
import { echo, echoList, maxSelections } from './bounds.js';
const optionsOf = (definition) => definition.metadata?.options ?? [];
const writable = (options) => options.filter((option) => option.archived !== true);
/**
 * Finds the option for a sent text. A value wins over an equal label, so that a value that was read can be sent back. A
 * label matches only options that are not archived, and only if exactly one has it.
 */
const findOption = (options, text) => {
    const byValue = options.find((option) => option.value === text);
    if (byValue?.archived === true)
        return fail(`"${echo(text)}" is an archived option and cannot be set`);
    if (byValue !== undefined)
        return ok(byValue);
    const byLabel = writable(options).filter((option) => option.label === text);
    const [only] = byLabel;
    if (byLabel.length > 1) {
        return fail(`"${echo(text)}" is the label of several options; use one value of: ${listValues(byLabel)}`);
    }
    if (only !== undefined)
        return ok(only);
    if (options.some((option) => option.label === text)) {
        return fail(`"${echo(text)}" is an archived option and cannot be set`);
    }
    return fail(`"${echo(text)}" is not an option; must be one of: ${listValues(writable(options))}`);
};
const listValues = (options) => echoList(options.map((option) => option.value));
/** Reads a `select` or `radio`: an option's value, or its label if only one option has it. Stored as the value. */
export const parseOption = (input, definition) => {
    const options = optionsOf(definition);
    if (typeof input !== 'string')
        return fail(`must be a string, one of: ${listValues(writable(options))}`);
    const option = findOption(options, input);
    return option.ok ? ok(option.value.value) : option;
};
/**
 * Reads a `multi_select`: an array of texts as in {@link parseOption}. Stored as values without duplicates, in the
 * order of the options.
 */
export const parseOptions = (input, definition) => {
    const options = optionsOf(definition);
    if (!Array.isArray(input))
        return fail(`must be an array, of: ${listValues(writable(options))}`);
    if (input.length > maxSelections)
        return fail(`must have at most ${maxSelections} entries`);
    const chosen = new Set();
    for (const [index, entry] of input.entries()) {
        const option = parseOption(entry, definition);
        if (!option.ok)
            return fail(`entry ${index}: ${option.message}`);
        chosen.add(option.value);
    }
    return ok(options.map((option) => option.value).filter((value) => chosen.has(value)));
};
//# sourceMappingURL=option.js.map