// Protections, each with the change that removes it and the tests that must fail without it.
import { mutationsOfData } from './mutations-of-data.mjs';
import { mutationsOfGateways } from './mutations-of-gateways.mjs';

/**
 * @typedef {object} Mutation
 * @property {string} requirement such as R8, of docs/security.md
 * @property {string} removed the removed protection in a few words, which also select it on the command line
 * @property {string} file from the top of the repository
 * @property {string} from text that occurs there exactly once
 * @property {string} to its replacement
 * @property {string} tests a folder, then parts of test file names
 */

/** @type {readonly Mutation[]} */
export const mutations = [...mutationsOfData, ...mutationsOfGateways];
