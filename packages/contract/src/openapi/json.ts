/** A part of the document: plain JSON. */
export type Json = Readonly<Record<string, unknown>>;

/** A reference to a component. */
export const componentReference = (kind: string, name: string): Json => ({ $ref: `#/components/${kind}/${name}` });
