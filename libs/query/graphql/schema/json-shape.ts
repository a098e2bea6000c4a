/** The values that have been seen inside objects of JSON, by key. */
export interface Shape {
  readonly [key: string]: ShapeNode;
}

export interface ShapeNode {
  /** The engine's types of the values here that are neither objects nor lists of objects. */
  readonly plain: readonly string[];
  /** The keys below it, if there are objects. */
  readonly object: Shape | undefined;
  /** The keys of the elements, if there are lists of objects. */
  readonly elements: Shape | undefined;
}

interface Growing {
  plain: readonly string[];
  object?: Record<string, Growing>;
  elements?: Shape;
}

/**
 * @param paths as the engine gives them: keys with dots between them, and their types.
 * @param elements shapes of the paths that are lists of objects.
 */
export function shapeOf(
  paths: Readonly<Record<string, readonly string[]>>,
  elements: ReadonlyMap<string, Shape>,
): Shape {
  const root = Object.create(null) as Record<string, Growing>;
  for (const [path, types] of Object.entries(paths)) {
    const keys = path.split('.');
    let level = root;
    for (const [index, key] of keys.entries()) {
      const node = (level[key] ??= { plain: [] });
      if (index < keys.length - 1)
        level = node.object ??= Object.create(null) as Record<string, Growing>;
      else {
        const list = elements.get(path);
        if (list) node.elements = list;
        node.plain = types.filter((type) => !isListOfObjects(type));
      }
    }
  }
  return finish(root);
}

function finish(level: Readonly<Record<string, Growing>>): Shape {
  return Object.fromEntries(
    Object.entries(level).map(([key, { plain, object, elements }]) => [
      key,
      { plain, elements, object: object && finish(object) },
    ]),
  );
}

/** Tells whether a column has objects, with or without nulls among them. */
export const isOfObjects = (type: string): boolean => /^(?:Nullable\()?JSON/.test(type);

export const isListOfObjects = (type: string): boolean => type.startsWith('Array(JSON');
