// Protections, each with the change that takes it away and the tests that have to fail then.
import { mutationsOfData } from './mutations-of-data.mjs';
import { mutationsOfGateways } from './mutations-of-gateways.mjs';

/**
 * @typedef {object} Mutation
 * @property {string} requirement R1 to R22
 * @property {string} removed what is gone, in a few words: how one asks for it by name
 * @property {string} file from the top of the repository
 * @property {string} from text that stands there once
 * @property {string} to what stands there instead
 * @property {string} tests a folder, then parts of test file names
 */

/** @type {readonly Mutation[]} */
export const mutations = [...mutationsOfData, ...mutationsOfGateways];
