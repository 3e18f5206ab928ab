/** A successful {@link Result}. */
export const ok = (value) => ({ ok: true, value });
/** A failed {@link Result}. Callers of the API get `message` unchanged. */
export const fail = (message) => ({ ok: false, message });
//# sourceMappingURL=result.js.map