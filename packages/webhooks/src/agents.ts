import type { Agent } from 'node:http';
import { isIP } from 'node:net';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { addressOf, deniedNetworks, familyOf, isPublicUrl, type Networks } from './endpoint-url.js';

type Family = 4 | 6;

/** Where a request may connect to. `public`: to all public addresses; `inside`: only to the networks that the operator allows. */
interface Route {
  readonly reach: 'public' | 'inside';
  readonly family: Family;
}

const families: readonly Family[] = [4, 6];
const everywhere = { 4: '0.0.0.0/0', 6: '::/0' } as const;

/**
 * The agents that check the address of each connection. An agent has the lists of one family, because the library prints a warning if it
 * compares an address with a network of the other one.
 */
export class Agents {
  readonly #networks: Networks;
  readonly #agents = new Map<string, Agent>();

  /** @param networks - the private networks that may be called */
  constructor(networks: Networks) {
    this.#networks = networks;
  }

  /**
   * The routes to try for a URL, one after the other: a public URL may have an address in an allowed network, and a name addresses of both
   * families.
   */
  routesTo(url: URL): readonly Route[] {
    const literal = isIP(addressOf(url));
    const fitting = families.filter((family) => literal === 0 || literal === family);
    const reaches = isPublicUrl(url) ? (['public', 'inside'] as const) : (['inside'] as const);
    return reaches.flatMap((reach) => fitting.map((family) => ({ reach, family })));
  }

  /** @param keepAlive - false for a connection that was not used before */
  agentFor(protocol: string, { reach, family }: Route, keepAlive: boolean): Agent {
    const key = `${protocol} ${reach} ${family} ${keepAlive}`;
    const agent = this.#agents.get(key) ?? this.#create(protocol, { reach, family }, keepAlive);
    this.#agents.set(key, agent);
    return agent;
  }

  #create(protocol: string, { reach, family }: Route, keepAlive: boolean): Agent {
    const allowed = this.#networks.filter((network) => familyOf(network) === family);
    const lists =
      reach === 'public'
        ? { denyIPAddressList: [...deniedNetworks[family]] }
        : { allowIPAddressList: allowed, denyIPAddressList: [everywhere[family]] };
    const options = { keepAlive, family, ...lists };
    return protocol === 'https:' ? new RequestFilteringHttpsAgent(options) : new RequestFilteringHttpAgent(options);
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}
