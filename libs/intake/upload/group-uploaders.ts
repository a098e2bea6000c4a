import { changesSchema } from '@app/streams';
import type { SchemaKeeper } from '@app/acceptance';
import type { Uploader } from '../store/stream-schemas.js';

/**
 * Groups uploads by their sender, address and client, each group in the order of its first upload.
 * Request ids differ within a group.
 */
export function byUploader<Upload extends { readonly upload: { readonly uploader: Uploader } }>(
  group: readonly Upload[],
): readonly (readonly Upload[])[] {
  const groups = new Map<string, Upload[]>();
  for (const each of group) {
    const { actor, organizationId, address, userAgent } = each.upload.uploader;
    const key = JSON.stringify([actor, organizationId, address, userAgent]);
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return [...groups.values()];
}

/**
 * A function for uploads of several people: each change of the schema belongs to one of them, and
 * not to the others.
 */
export const unchanging = (keeper: SchemaKeeper): SchemaKeeper => ({
  current: () => keeper.current(),
  evolve: (survey) => {
    const schema = keeper.current();
    if (!schema || changesSchema(schema, survey))
      return Promise.reject(new Error('whose fields are new is not known'));
    return keeper.evolve(survey);
  },
});
