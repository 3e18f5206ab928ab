/** The most that an organization's setup may contain. Every gateway holds it, and pages contain definitions of fields. */
export declare const setupLimits: {
    /** Custom fields of all objects, including archived ones. */
    readonly fields: 500;
    readonly pipelines: 100;
    /** Of one pipeline. */
    readonly stages: 100;
    readonly members: 2000;
    /** Bytes (UTF-8) of all names, labels, emails and options together. */
    readonly bytes: number;
};
