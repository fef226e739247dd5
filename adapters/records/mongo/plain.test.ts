import { BSON } from 'mongodb';
import { plainForDriver } from './plain.ts';
import { updateOf } from './query.ts';

describe('JSON on its way to the driver', () => {
  const odd = { metadata: { _bsontype: 'ObjectId', kept: [{ _bsontype: 'Long' }] }, other: [1, 'two', null] };

  it('may contain fields that look like types of the driver', () => {
    expect(() => BSON.serialize(odd)).toThrow();
    const given = plainForDriver(odd);
    expect(BSON.deserialize(BSON.serialize(given as BSON.Document))).toEqual(odd);
    expect(BSON.deserialize(BSON.serialize(updateOf({ set: odd, push: { list: [odd] } }) ?? {}))).toEqual({
      $set: odd,
      $push: { list: { $each: [odd] } },
    });
  });

  it('is unchanged otherwise', () => {
    const document = { a: { b: [1] } };
    expect(plainForDriver(document)).toBe(document);
  });
});
