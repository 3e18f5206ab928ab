/** Types of the part of tr46 that is used here; the package has none of its own. */
declare module 'tr46' {
  export interface Tr46Options {
    readonly checkHyphens?: boolean;
    readonly checkBidi?: boolean;
    readonly checkJoiners?: boolean;
    readonly useSTD3ASCIIRules?: boolean;
    readonly transitionalProcessing?: boolean;
    readonly ignoreInvalidPunycode?: boolean;
  }

  /** The ASCII form, or null for an invalid name. */
  export function toASCII(
    domainName: string,
    options?: Tr46Options & { readonly verifyDNSLength?: boolean },
  ): string | null;

  /** The Unicode form, as complete as possible even if `error` is true. */
  export function toUnicode(
    domainName: string,
    options?: Tr46Options,
  ): { readonly domain: string; readonly error: boolean };
}
