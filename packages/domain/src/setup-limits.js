/** The most that an organization's setup may contain. Every gateway holds it, and pages contain definitions of fields. */
export const setupLimits = {
    /** Custom fields of all objects, including archived ones. */
    fields: 500,
    pipelines: 100,
    /** Of one pipeline. */
    stages: 100,
    members: 2_000,
    /** Bytes (UTF-8) of all names, labels, emails and options together. */
    bytes: 1024 * 1024,
};
//# sourceMappingURL=setup-limits.js.map