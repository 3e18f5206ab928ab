import { propertyRuns } from '@crm/testing';
import { describeSearchProperty } from './property/search-property.js';
import { startTestGateway } from './support/gateway.js';

describeSearchProperty(startTestGateway, {
  searches: propertyRuns({ short: 1, soak: 20_000 }),
  onePairIn: 1,
  summaries: propertyRuns({ short: 100, soak: 5_000 }),
});
