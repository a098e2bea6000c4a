export { MetadataGraphqlModule } from './metadata-graphql.module.js';
