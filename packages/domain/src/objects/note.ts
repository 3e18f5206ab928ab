/** Why a note without a text is refused. */
export const emptyNoteFault = 'is required: send a title, a content or both';

/** Why a note that is on no record is refused. */
export const unlinkedNoteFault = 'is required: send at least one account domain, contact email or opportunity id';
