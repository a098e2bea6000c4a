export { introspectionCost, selectedFields } from './graphql-cost.js';
