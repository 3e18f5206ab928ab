import { type Result } from '../../result.js';
import type { CustomValueReferences } from '../custom-value.js';
/** Reads `team_members`: an array of member ids or emails; stored as ids in the order sent, each once. */
export declare const parseTeamMembers: (input: unknown, references: CustomValueReferences) => Result<readonly string[]>;
