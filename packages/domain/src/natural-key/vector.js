/** Functions that make the rows of one kind: `key` for an input that has a key, `refused` for one that has none. */
export const vectorsOf = (kind) => ({
    key: (about, input, expected) => ({ kind, input, expected, about }),
    refused: (about, input) => ({ kind, input, expected: null, about }),
});
//# sourceMappingURL=vector.js.map