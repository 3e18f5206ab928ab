/**
 * The known name closest to `name`, if it is at most two edits away and these are fewer than half of its characters.
 */
export declare const nearestName: (name: string, known: readonly string[]) => string | undefined;
