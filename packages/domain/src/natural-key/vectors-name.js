import { vectorsOf } from './vector.js';
const { key, refused } = vectorsOf('name');
const emoji255 = '😀'.repeat(255);
/** Names of opportunities, see {@link NaturalKeyVector}. */
export const nameVectors = [
    key('plain', 'Website redesign', 'Website redesign'),
    key('white space around it', '\t Website redesign\u00a0\n', 'Website redesign'),
    key('white space inside stays', 'Website  redesign', 'Website  redesign'),
    key('case stays', 'WEBSITE redesign', 'WEBSITE redesign'),
    key('NFC', 'Café', 'Café'),
    key('NFD', 'Cafe\u0301', 'Café'),
    key('full-width stays', 'Ｗｅｂ', 'Ｗｅｂ'),
    key('ligature stays', 'ﬁrst', 'ﬁrst'),
    key('Cyrillic homograph is another name', '\u0410cme', '\u0410cme'),
    key('quotes, percent and backslash', `50% 'off' "now" \\ _`, `50% 'off' "now" \\ _`),
    key('255 letters', 'n'.repeat(255), 'n'.repeat(255)),
    key('255 characters of two UTF-16 units', emoji255, emoji255),
    key('255 letters after trimming', ` ${'n'.repeat(255)} `, 'n'.repeat(255)),
    key('255 letters after composing', 'e\u0301'.repeat(255), 'é'.repeat(255)),
    refused('256 letters', 'n'.repeat(256)),
    refused('256 letters after NFC, which may lengthen', `${'n'.repeat(254)}\u0958`),
    refused('empty', ''),
    refused('blank', ' \t\n\u3000'),
    refused('only invisible characters', '\u200b\u2060\ufeff'),
    refused('U+0000', 'Web\u0000site'),
    refused('lone surrogate', 'Web\ud83dsite'),
];
//# sourceMappingURL=vectors-name.js.map