import { describe, expect, it } from '@jest/globals';
import { Exchange } from './exchange.js';

describe('what an exchange holds', () => {
  const createExchange = () => {
    const exchange = new Exchange('id', '/', '');
    const released: string[] = [];
    exchange.whenOver(() => void released.push('first'));
    return { exchange, released };
  };

  it('is released when the answer is taken, once', async () => {
    const { exchange, released } = createExchange();
    await exchange.work(() => Promise.resolve());
    expect(released).toEqual([]);
    exchange.close();
    exchange.close();
    expect(released).toEqual(['first']);
  });

  it('is held until the work ends, also if the caller hangs up before, and if the work fails', async () => {
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

  it('is released at once where the caller is gone and nothing works for it', () => {
    const { exchange, released } = createExchange();
    exchange.close();
    exchange.whenOver(() => void released.push('second'));
    expect(released).toEqual(['first', 'second']);
  });
});
