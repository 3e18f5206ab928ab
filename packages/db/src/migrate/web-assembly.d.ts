/** The part of Node's WebAssembly that is used here; its types come with the DOM library, which a server has no use for. */
declare namespace WebAssembly {
  function instantiate(
    bytes: Uint8Array,
    imports: Record<string, unknown>,
  ): Promise<{ readonly instance: { readonly exports: Record<string, unknown> } }>;
}
