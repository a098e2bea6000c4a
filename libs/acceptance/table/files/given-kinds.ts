import type { Field, FieldType } from '@app/arrow';
import { ofGivenType, writeValueType, type GivenType } from '@app/streams';
import { isScalar, valueTypeOf, type ScalarType } from './field-type.js';

/**
 * Tells the type of a field that a stream keeps as JSON, as surveys tell it; nothing of any other
 * field.
 */
export function givenKinds(type: FieldType): readonly string[] {
  if (isScalar(type) || (type.kind === 'list' && isScalar(type.element.type))) return [];
  const given = givenType(type);
  return given === undefined ? [] : [ofGivenType(given)];
}

/** @returns undefined if its values could not be read out of JSON by the type. */
function givenType(type: FieldType): GivenType | undefined {
  if (isScalar(type)) return nameOf(type);
  if (type.kind === 'list') {
    const list = givenType(type.element.type);
    return list && { list };
  }
  if (type.kind === 'map') {
    const { key: keyField, value: valueField } = type;
    const key = isScalar(keyField.type) ? nameOf(keyField.type) : undefined;
    const value = givenType(valueField.type);
    return key !== undefined && IS_KEY.test(key) && value ? { map: [key, value] } : undefined;
  }
  return type.kind === 'struct' ? structType(type.fields) : undefined;
}

function structType(fields: readonly Field[]): GivenType | undefined {
  const struct = fields.flatMap((field) => {
    const type = NO_NAME.test(field.name) ? undefined : givenType(field.type);
    return type ? [{ name: field.name, type }] : [];
  });
  return struct.length === fields.length ? { struct } : undefined;
}

const nameOf = (type: ScalarType): string | undefined =>
  type.kind === 'nothing' ? undefined : writeValueType(valueTypeOf(type));

/** The engine keeps a key as text. Of floats and bytes its text is not always the one that came. */
const IS_KEY = /^(?:U?Int\d+|String|Bool|UUID|Date32|Decimal|DateTime64)/;

/** Such a name is not read back out of JSON as it was written. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const NO_NAME = /^$|[\u0000-\u001f\u007f]/;
