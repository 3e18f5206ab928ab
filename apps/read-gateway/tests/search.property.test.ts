import { describeSearchProperty } from './property/search-property.js';
import { startTestGateway } from './support/gateway.js';

// `search.property.system.test.ts` asks about every pair of a type and an operator.
describeSearchProperty(startTestGateway, { searches: 1, onePairIn: 8, summaries: 12 });
