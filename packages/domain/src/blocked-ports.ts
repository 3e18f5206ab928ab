/** The ports to which `fetch` and browsers refuse to connect: "bad ports" of https://fetch.spec.whatwg.org/#port-blocking. */
export const blockedPorts: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);

/** Why a server cannot have this port; null if it can. 0 stands for any free port. */
export const portProblem = (port: number): string | null =>
  port !== 0 && blockedPorts.has(port) ? `must not be ${port}: fetch and browsers refuse this port` : null;

/** Why `fetch` cannot reach an address with this port; null if it can. */
export const urlPortProblem = ({ protocol, port }: URL): string | null =>
  /^https?:$/.test(protocol) && port !== '' && blockedPorts.has(Number(port))
    ? `must not have the port ${port}: fetch and browsers refuse it`
    : null;
