import { describe, expect, it } from '@jest/globals';
import { Exchange } from './exchange.js';

describe('the resources of an exchange', () => {
  const createExchange = () => {
    const exchange = new Exchange('id', '/', '');
    const released: string[] = [];
    exchange.whenOver(() => void released.push('first'));
    return { exchange, released };
  };

  it('are released once, when the answer is read', async () => {
    const { exchange, released } = createExchange();
    await exchange.work(() => Promise.resolve());
    expect(released).toEqual([]);
    exchange.close();
    exchange.close();
    expect(released).toEqual(['first']);
  });

  it('are held until the work ends, even if the caller hangs up before or the work fails', async () => {
    const { exchange, released } = createExchange();
    let fail = (_error: Error): void => undefined;
    const outer = exchange.work(async () => {
      await exchange.work(() => Promise.resolve());
      await new Promise((_resolve, reject) => (fail = reject));
    });
    exchange.close();
    await new Promise(setImmediate);
    expect(released).toEqual([]);
    fail(new Error('no'));
    await expect(outer).rejects.toThrow('no');
    expect(released).toEqual(['first']);
  });

  it('are released at once if the caller is gone and no work is running', () => {
    const { exchange, released } = createExchange();
    exchange.close();
    exchange.whenOver(() => void released.push('second'));
    expect(released).toEqual(['first', 'second']);
  });
});
