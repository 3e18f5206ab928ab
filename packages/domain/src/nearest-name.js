/** Names longer than this are not compared: the cost grows with the square of their length. */
const comparedLength = 64;
const farthestEdits = 2;
/** The number of insertions, deletions and replacements that turn `from` into `to`. */
const editDistance = (from, to) => {
    let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
    for (let row = 1; row <= from.length; row += 1) {
        const current = [row];
        for (let column = 1; column <= to.length; column += 1) {
            const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
            current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
        }
        previous = current;
    }
    return previous[to.length] ?? 0;
};
/**
 * The known name closest to `name`, if it is at most two edits away and these are fewer than half of its characters.
 */
export const nearestName = (name, known) => {
    if (name.length > comparedLength)
        return undefined;
    let best;
    for (const candidate of known) {
        if (Math.abs(candidate.length - name.length) > farthestEdits)
            continue;
        const edits = editDistance(name, candidate);
        if (edits > farthestEdits || edits * 2 >= candidate.length)
            continue;
        if (best === undefined || edits < best.edits)
            best = { name: candidate, edits };
    }
    return best?.name;
};
//# sourceMappingURL=nearest-name.js.map