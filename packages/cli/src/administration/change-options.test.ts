import { describe, expect, it } from '@jest/globals';

import { changeOptions } from './change-options.js';

const web = { label: 'Website', value: 'web', color: 'blue' };
const event = { label: 'Event', value: 'event', color: 'red' };

describe('changeOptions', () => {
  it('changes the label of an existing option and keeps its position and color', () => {
    expect(changeOptions([web, event], [{ value: 'web', label: 'Site' }], [], [])).toEqual([
      { label: 'Site', value: 'web', color: 'blue' },
      event,
    ]);
  });

  it('appends new options', () => {
    expect(changeOptions([web], [{ label: 'Referral' }], [], [])).toEqual([web, { label: 'Referral' }]);
  });

  it('archives and restores by value', () => {
    expect(changeOptions([web, { ...event, archived: true }], [], ['web'], ['event'])).toEqual([
      { ...web, archived: true },
      { ...event, archived: false },
    ]);
  });

  it('refuses an unknown option', () => {
    expect(() => changeOptions([web], [], ['fax'], [])).toThrow('--archive-option: There is no option fax.');
  });
});
