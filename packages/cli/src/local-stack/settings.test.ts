import { describe, expect, it } from '@jest/globals';

import { exitCodes } from '../errors.js';
import { readStackSettings } from './settings.js';

describe('readStackSettings', () => {
  it('has a default for every setting', () => {
    expect(readStackSettings({})).toEqual({ directory: `${process.cwd()}/.crm`, readPort: 4000, inboundPort: 4001 });
    expect(readStackSettings({ CRM_DATA_DIR: '', CRM_READ_PORT: '' }).readPort).toBe(4000);
  });

  it('reads a directory and ports', () => {
    const env = { CRM_DATA_DIR: '/srv/crm', CRM_READ_PORT: '80', CRM_INBOUND_PORT: '65535' };
    expect(readStackSettings(env)).toEqual({ directory: '/srv/crm', readPort: 80, inboundPort: 65_535 });
  });

  it('names every variable at fault', () => {
    expect(() => readStackSettings({ CRM_READ_PORT: '0', CRM_INBOUND_PORT: '65536' })).toThrow(
      expect.objectContaining({
        exitCode: exitCodes.configuration,
        message: 'CRM_READ_PORT must be a port from 1 to 65535\nCRM_INBOUND_PORT must be a port from 1 to 65535',
      }),
    );
    expect(() => readStackSettings({ CRM_READ_PORT: '4001' })).toThrow(/must differ/);
  });
});
