/**
 * Functions whose work on one block can take unlimited time, because the engine checks its time
 * limit only between blocks. Each was measured (26.7) with arguments that a short statement makes,
 * and went on for long past its limit. Their time grows with the product of their arguments' sizes.
 */
export const ENDLESS_FUNCTIONS: ReadonlySet<string> = new Set([
  'arraylevenshteindistance',
  'arraylevenshteindistanceweighted',
  'arraysimilarity',
  'dameraulevenshteindistance',
  'extracttextfromhtml',
  'jsonmergepatch',
  'h3kring',
  'h3hexring',
  'h3polygontocells',
  'h3polygontocellswithcontainment',
  'geometryintersectcartesian',
  'geometryintersectspherical',
  'polygonsdistancecartesian',
  'polygonsdistancespherical',
  'polygonsequalscartesian',
  'polygonsintersectcartesian',
  'polygonsintersectioncartesian',
  'polygonsintersectionspherical',
  'polygonsintersectspherical',
  'polygonssymdifferencecartesian',
  'polygonssymdifferencespherical',
  'polygonsunioncartesian',
  'polygonsunionspherical',
  'polygonswithincartesian',
  'polygonswithinspherical',
]);
