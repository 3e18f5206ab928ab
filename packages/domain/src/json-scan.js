import { reportedErrors } from './errors.js';
import { findNumberFault, tooManyDigits } from './exact-number.js';
const refusedKeys = new Set(['__proto__', 'constructor', 'prototype']);
const numberToken = /[-+.0-9eE]+/y;
/** U+0000, or a surrogate without its other half. */
const notStorable = /[\0\p{Cs}]/u;
/** More keys than any record has. Checking more keys for duplicates would take longer than the rest of the scan. */
const maxKeys = 2_000;
/** The maximum number of elements and members in a whole text: more than in the largest bulk call. */
const maxParts = 200_000;
const listedKeys = 16;
const shownKeyLength = 100;
/** A double preserves every number without an exponent that has up to this many characters. */
const plainNumberLength = 15;
/** No double needs more characters, and checking longer numbers would take long. */
const maxNumberLength = 1_000;
/** The maximum length of one text or one list element, in characters. It equals the maximum bytes of a normal body. */
const maxPartLength = 256 * 1024;
/** Scanning this many characters takes about half a millisecond. */
const charactersPerStep = 16 * 1024;
const shown = (key) => {
    const short = key.length > shownKeyLength ? `${key.slice(0, shownKeyLength)}…` : key;
    return notStorable.test(short) ? JSON.stringify(short).slice(1, -1) : short;
};
/**
 * One pass over a JSON text before it is parsed. It finds what `JSON.parse` silently accepts: unlimited nesting,
 * duplicate keys (the first value would be lost), keys that reach into prototypes, numbers that would be rounded,
 * U+0000 and lone surrogates (PostgreSQL rejects or alters them).
 *
 * The text need not be valid JSON: the pass always ends, and the parser rejects invalid text later. The pass uses no
 * recursion. It runs in steps, so that a long text does not block the process.
 */
export class JsonScanner {
    errors = new Map();
    #text;
    #maxDepth;
    #frames = [];
    #depth = 0;
    #at = 0;
    #parts = 0;
    #refusal = null;
    #isCut = false;
    #listKey;
    #list = null;
    /**
     * @param maxDepth - the deepest nesting of objects and arrays
     * @param listKey - the key in the outermost object whose value is {@link list}
     */
    constructor(text, maxDepth, listKey = null) {
        this.#text = text;
        this.#maxDepth = maxDepth;
        this.#listKey = listKey;
    }
    /** Runs one step. @returns whether there is more to read */
    step() {
        const text = this.#text;
        const end = Math.min(text.length, this.#at + charactersPerStep);
        while (this.#at < end && !this.#isCut && this.#refusal === null) {
            const character = text.charCodeAt(this.#at);
            if (character === 0x22)
                this.#string();
            else if (character === 0x7b || character === 0x5b)
                this.#open(character === 0x7b);
            else if (character === 0x7d || character === 0x5d)
                this.#close();
            else if (character === 0x2c)
                this.#comma();
            else if (character === 0x2d || (character >= 0x30 && character <= 0x39))
                this.#number();
            else
                this.#at++;
        }
        return this.#at < text.length && !this.#isCut && this.#refusal === null;
    }
    get result() {
        const { errors } = this;
        return { refusal: this.#refusal, errors, isComplete: !this.#isCut && this.#refusal === null };
    }
    /** The array under `listKey` of the outermost object; null if there is none or it has no end. */
    get list() {
        const { from, to, commas } = this.#list ?? { from: 0, to: null, commas: [] };
        return to === null ? null : { from, to, commas };
    }
    #open(isObject) {
        this.#at++;
        if (this.#depth === this.#maxDepth) {
            this.#refusal = `must not nest deeper than ${this.#maxDepth} levels`;
            return;
        }
        // Frames are reused: a bulk body opens hundreds of thousands of objects.
        const frame = this.#frames[this.#depth];
        if (frame === undefined) {
            this.#frames.push({ isObject, expectsKey: isObject, key: '', index: 0, keyCount: 0, keys: [], keySet: null });
        }
        else {
            frame.isObject = isObject;
            frame.expectsKey = isObject;
            frame.index = 0;
            frame.keyCount = 0;
            frame.keys.length = 0;
            frame.keySet = null;
        }
        this.#depth++;
        const isList = this.#depth === 2 && !isObject && this.#list === null && this.#frames[0]?.isObject === true;
        if (isList && this.#frames[0]?.key === this.#listKey)
            this.#list = { from: this.#at, to: null, commas: [] };
    }
    #close() {
        const list = this.#endElement();
        if (list !== null)
            list.to = this.#at;
        this.#depth = Math.max(0, this.#depth - 1);
        this.#at++;
    }
    /** Records the end of an element. @returns the list if the element belongs to it */
    #endElement() {
        const list = this.#list;
        if (this.#depth !== 2 || list === null || list.to !== null)
            return null;
        if (this.#at - (list.commas.at(-1) ?? list.from) > maxPartLength) {
            this.#refusal = `must not hold an item of more than ${maxPartLength} characters`;
        }
        return list;
    }
    #comma() {
        this.#endElement()?.commas.push(this.#at);
        this.#at++;
        if (++this.#parts === maxParts)
            this.#refusal = `must not hold more than ${maxParts} values`;
        const frame = this.#frames[this.#depth - 1];
        if (this.#depth === 0 || frame === undefined)
            return;
        if (frame.isObject)
            frame.expectsKey = true;
        else
            frame.index++;
    }
    #number() {
        numberToken.lastIndex = this.#at;
        const token = numberToken.exec(this.#text)?.[0] ?? '-';
        this.#at += token.length;
        if (token.length <= plainNumberLength && !/[eE]/.test(token))
            return;
        const fault = token.length > maxNumberLength ? tooManyDigits : findNumberFault(token);
        if (fault !== null)
            this.#add(this.#path(this.#depth), fault);
    }
    #string() {
        const start = this.#at;
        this.#at = this.#endOfString(start);
        if (this.#refusal !== null)
            return;
        const quoted = this.#text.slice(start, this.#at);
        const frame = this.#frames[this.#depth - 1];
        if (this.#depth > 0 && frame?.isObject === true && frame.expectsKey) {
            frame.expectsKey = false;
            this.#key(frame, quoted);
        }
        else if (quoted.includes('\\u') && notStorable.test(unquote(quoted))) {
            this.#add(this.#path(this.#depth), 'must not contain U+0000 or a lone surrogate');
        }
    }
    #key(frame, quoted) {
        const key = quoted.includes('\\') ? unquote(quoted) : quoted.slice(1, -1);
        frame.key = key;
        if (++frame.keyCount > maxKeys)
            this.#refusal = `must not hold an object of more than ${maxKeys} names`;
        if (refusedKeys.has(key))
            this.#add(this.#path(this.#depth), 'is not allowed as a name');
        else if (notStorable.test(key)) {
            this.#add(this.#path(this.#depth), 'is a name with U+0000 or a lone surrogate');
        }
        else if (frame.keySet?.has(key) ?? frame.keys.includes(key)) {
            this.#add(this.#path(this.#depth), 'is given twice');
        }
        if (frame.keySet !== null)
            frame.keySet.add(key);
        else if (frame.keys.push(key) > listedKeys)
            frame.keySet = new Set(frame.keys);
    }
    /** The index after the closing quote, or the end of the text if there is none. */
    #endOfString(start) {
        const text = this.#text;
        for (let from = start + 1;;) {
            const quote = text.indexOf('"', from);
            if ((quote === -1 ? text.length : quote) - start > maxPartLength) {
                this.#refusal = `must not hold a text of more than ${maxPartLength} characters`;
            }
            if (quote === -1 || this.#refusal !== null)
                return text.length;
            let slashes = 0;
            while (text.charCodeAt(quote - 1 - slashes) === 0x5c)
                slashes++;
            if (slashes % 2 === 0)
                return quote + 1;
            from = quote + 1;
        }
    }
    /** The dotted path of the current position, down to `depth` levels, such as `items[3].email`. */
    #path(depth) {
        let path = '';
        for (const frame of this.#frames.slice(0, depth)) {
            if (!frame.isObject)
                path += `[${frame.index}]`;
            else
                path += path === '' ? shown(frame.key) : `.${shown(frame.key)}`;
        }
        return path === '' ? 'body' : path;
    }
    #add(path, problem) {
        if (this.errors.has(path))
            return;
        if (this.errors.size === reportedErrors)
            this.#isCut = true;
        else
            this.errors.set(path, problem);
    }
}
/** The characters of a quoted string. Returns an invalid string unchanged, because the parser rejects it. */
const unquote = (quoted) => {
    try {
        return String(JSON.parse(quoted));
    }
    catch {
        return quoted;
    }
};
/**
 * Checks a JSON text for faults that the grammar allows and this API rejects; see {@link JsonScanner}.
 * @param maxDepth - the deepest nesting of objects and arrays
 */
export const scanJson = (text, maxDepth) => {
    const scanner = new JsonScanner(text, maxDepth);
    while (scanner.step())
        ;
    return scanner.result;
};
//# sourceMappingURL=json-scan.js.map