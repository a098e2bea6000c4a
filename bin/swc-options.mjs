/** The options by which TypeScript becomes JavaScript, for the build and for jest alike. */
export const swcOptions = {
  swcrc: false,
  configFile: false,
  sourceMaps: true,
  jsc: {
    target: 'es2023',
    keepClassNames: true,
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, verbatimModuleSyntax: true },
  },
};
