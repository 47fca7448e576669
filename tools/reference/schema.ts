/** Tables of the fields of JSON schemas, as the OpenAPI descriptions have them. */
import { isDeepStrictEqual } from 'node:util';
import { table } from './markdown.ts';

export type Schema = {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  format?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
};

/** Deeper fields are left to the guides. */
const MAX_DEPTH = 3;
/** A union of more types, such as the schemes of webhooks, is `object`. */
const MAX_TYPES = 6;

const isNull = ({ type }: Schema): boolean => type === 'null';
const variantsOf = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [];

/** Returns the bounds that a caller can exceed: those of the type itself are not named. */
function bounds({ minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  if (maximum === Number.MAX_SAFE_INTEGER) return minimum <= 0 ? '' : `, from ${minimum}`;
  return `, ${minimum} to ${maximum}`;
}

/** Returns the type in words: `integer, 1 to 50`, `string or null`, `array of string`. */
export function describeType(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const variants = variantsOf(schema);
  if (variants.length > 0) {
    const types = [...new Set(variants.toSorted((a, b) => +isNull(a) - +isNull(b)).map(describeType))];
    return types.length > MAX_TYPES ? 'object' : types.join(' or ');
  }
  const { type = 'any', format, maxLength, maxItems } = schema;
  if (Array.isArray(type)) return type.join(' or ');
  if (type === 'array') {
    const limit = maxItems === undefined ? '' : `, at most ${maxItems}`;
    return `array of ${describeType(schema.items ?? {})}${limit}`;
  }
  if (type === 'integer' || type === 'number') return `${type}${bounds(schema)}`;
  if (type !== 'string') return type;
  if (format) return `string (${format})`;
  return maxLength === undefined ? 'string' : `string, at most ${maxLength} characters`;
}

/** Returns the objects that a schema allows: itself, or its variants. */
function objectsOf(schema: Schema): Schema[] {
  if (schema.properties) return [schema];
  return variantsOf(schema).flatMap(objectsOf);
}

type Field = { name: string; schemas: Schema[]; isRequired: boolean };

/** Returns the fields of all variants of an object; equal schemas once. */
function fieldsOf(schema: Schema): Field[] {
  const objects = objectsOf(schema);
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].map((name) => {
    const schemas = objects.flatMap(({ properties = {} }) => properties[name] ?? []);
    return {
      name,
      schemas: schemas.filter(
        (one, at) => schemas.findIndex((other) => isDeepStrictEqual(one, other)) === at,
      ),
      isRequired: objects.every(({ required = [] }) => required.includes(name)),
    };
  });
}

type Row = [name: string, type: string, required: string, meaning: string];

function rowsOf(schema: Schema, prefix: string, depth: number): Row[] {
  return fieldsOf(schema).flatMap(({ name, schemas, isRequired }) => {
    const [first = {}] = schemas;
    const path = `${prefix}${name}`;
    const types = [...new Set(schemas.map(describeType))];
    const meaning = [
      first.description ?? variantsOf(first).find(({ description }) => description)?.description ?? '',
      first.default === undefined || first.default === null
        ? ''
        : `Default: \`${JSON.stringify(first.default)}\`.`,
    ];
    const row: Row = [`\`${path}\``, types.join(' or '), isRequired ? 'yes' : '', meaning.join(' ')];
    // Several schemas: the meaning of the field depends on another one.
    if (schemas.length > 1 || depth === MAX_DEPTH) return [row];
    const inner = first.type === 'array' ? (first.items ?? {}) : first;
    const nested = describeType(first) === 'object' && variantsOf(first).length > MAX_TYPES ? {} : inner;
    return [row, ...rowsOf(nested, `${path}${first.type === 'array' ? '[]' : ''}.`, depth + 1)];
  });
}

/** Returns the table of the fields of a body, or its type when it is not an object. `hasRequired`: with a column for it. */
export function describeBody(schema: Schema, hasRequired: boolean): string {
  const isArray = schema.type === 'array' && objectsOf(schema.items ?? {}).length > 0;
  const rows = rowsOf(isArray ? (schema.items ?? {}) : schema, '', 1);
  const text = isArray ? 'An array of objects:' : '';
  if (rows.length === 0)
    return `A value of the type ${describeType(schema)}. ${schema.description ?? ''}`.trim();
  const columns = hasRequired ? ['Field', 'Type', 'Required', 'Meaning'] : ['Field', 'Type', 'Meaning'];
  const cells = rows.map(([name, type, required, meaning]) =>
    hasRequired ? [name, type, required, meaning] : [name, type, meaning],
  );
  return `${text === '' ? '' : `${text}\n\n`}${table(columns, cells)}`;
}
