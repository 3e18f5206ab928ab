import { escapeHtml } from './html.js';

/** The languages of the samples. */
export type Language = 'curl' | 'typescript' | 'python' | 'json';

/** Comment, string, variable, keyword, number: the first match names the class of a piece. */
const patterns: Readonly<Record<Language, RegExp>> = {
  curl: /(?<comment>#.*)|(?<variable>\$\w+)|(?<text>'[^']*'|"(?:\\.|[^"\\])*")|(?<word>\bcurl\b|(?<= )-{1,2}[A-Za-z-]+)/g,
  typescript:
    /(?<comment>\/\/.*)|(?<variable>process\.env\.\w+!?)|(?<text>'(?:\\.|[^'\\])*'|`[^`]*`)|(?<word>\b(?:import|from|const|await|for|of|new|null|true|false)\b)|(?<number>\b\d[\d.]*\b)/g,
  python:
    /(?<comment>#.*)|(?<variable>os\.environ\["\w+"\])|(?<text>f?"(?:\\.|[^"\\])*")|(?<word>\b(?:import|with|as|for|in|None|True|False|print)\b)|(?<number>\b\d[\d.]*\b)/g,
  json: /(?<name>"(?:\\.|[^"\\])*"(?=:))|(?<text>"(?:\\.|[^"\\])*")|(?<word>\b(?:true|false|null)\b)|(?<number>-?\b\d[\d.]*\b)/g,
};

/** Code as HTML with a class for each kind of piece: `"a": 1` gives `<span class="name">"a"</span>: …`. */
export const highlight = (code: string, language: Language): string => {
  let result = '';
  let end = 0;
  for (const match of code.matchAll(patterns[language])) {
    const kind =
      Object.entries<string | undefined>(match.groups ?? {}).find(([, piece]) => piece !== undefined)?.[0] ?? '';
    result += `${escapeHtml(code.slice(end, match.index))}<span class="${kind}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return result + escapeHtml(code.slice(end));
};
