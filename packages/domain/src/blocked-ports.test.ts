import { describe, expect, it } from '@jest/globals';
import { blockedPorts, portProblem, urlPortProblem } from './blocked-ports.js';

describe('the ports that fetch refuses', () => {
  it('are those of fetch itself', async () => {
    for (const port of blockedPorts) {
      // Some versions of fetch try port 0, which no server has.
      if (port === 0) continue;
      const error: unknown = await fetch(`http://127.0.0.1:${port}/`).catch((thrown: unknown) => thrown);
      expect([port, String((error as Error).cause)]).toEqual([port, 'Error: bad port']);
    }
  });

  it('are named, except 0 for any free port', () => {
    expect(portProblem(6000)).toBe('must not be 6000: fetch and browsers refuse this port');
    expect([portProblem(0), portProblem(4000), portProblem(443)]).toEqual([null, null, null]);
    expect(urlPortProblem(new URL('https://crm.example.com:5060'))).toMatch(/port 5060/);
    expect(urlPortProblem(new URL('https://crm.example.com'))).toBeNull();
    expect(urlPortProblem(new URL('redis://cache:6000'))).toBeNull();
  });
});
