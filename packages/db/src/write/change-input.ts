import type { Change } from '@crm/domain';

/** The part of a change that the SQL write functions of every object take. */
export const changeInput = ({ references: _references, ...change }: Change): Omit<Change, 'references'> => change;
