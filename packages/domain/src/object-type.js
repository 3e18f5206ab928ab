/** The objects that have custom fields and that lists and searches return. */
export const objectTypes = ['opportunity', 'account', 'contact'];
//# sourceMappingURL=object-type.js.map