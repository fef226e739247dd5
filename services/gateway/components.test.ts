import type { JsonObject } from '../../models/json.ts';
import { nameSchemas } from './openapi.ts';

const location: JsonObject = {
  title: 'Location',
  type: 'object',
  properties: { page: { type: 'integer' }, title: { type: 'string' } },
};

describe('schemas with a title', () => {
  it('are defined once and referenced, also inside each other', () => {
    const item: JsonObject = {
      title: 'Item',
      type: 'object',
      properties: { location, others: { type: 'array', items: location } },
    };
    const { paths, schemas } = nameSchemas({
      '/items': { get: { schema: { type: 'array', items: item } } },
      '/item': { get: { schema: { anyOf: [item, { type: 'null' }] } } },
    });
    const reference = { $ref: '#/components/schemas/Item' };
    expect(paths).toEqual({
      '/items': { get: { schema: { type: 'array', items: reference } } },
      '/item': { get: { schema: { anyOf: [reference, { type: 'null' }] } } },
    });
    const inner = { $ref: '#/components/schemas/Location' };
    expect(schemas).toEqual({
      Location: location,
      Item: { title: 'Item', type: 'object', properties: { location: inner, others: { type: 'array', items: inner } } },
    });
  });

  it('are refused if different ones have the same title', () => {
    expect(() => nameSchemas({ '/a': { schema: location }, '/b': { schema: { ...location, type: 'array' } } })).toThrow(
      'two schemas are called Location',
    );
  });
});
