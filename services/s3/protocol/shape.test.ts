import { requireShape } from './shape.ts';

const check = (
  method: string,
  names: string[],
  at: { bucket?: string; key?: string; headers?: { [name: string]: string } },
) =>
  requireShape(
    { method, headers: at.headers ?? {} },
    { bucket: at.bucket ?? null, key: at.key ?? null, query: names.map((name) => [name, '1']) },
    false,
  );
const object = { bucket: 'files', key: 'a' };

describe('the shape of a request', () => {
  it.each([
    ['POST', [], {}, 'MethodNotAllowed'],
    ['POST', [], object, 'MethodNotAllowed'],
    ['POST', [], { bucket: 'files' }, 'PreconditionFailed'],
    ['PUT', ['uploadId'], object, 'MethodNotAllowed'],
    ['PUT', ['partNumber'], object, 'InvalidArgument'],
    ['GET', ['uploads'], object, 'InvalidRequest'],
    ['GET', ['versions'], object, 'InvalidRequest'],
    ['GET', [], { ...object, headers: { 'x-amz-copy-source': 'files/b' } }, 'InvalidArgument'],
  ])('%s %j of %j is %s', (method, names, at, code) => {
    expect(() => check(method, names, at)).toThrow(expect.objectContaining({ code }));
  });

  it.each([
    ['GET', [], {}],
    ['POST', ['delete'], { bucket: 'files' }],
    ['GET', ['uploads'], { bucket: 'files' }],
    ['PUT', ['partNumber', 'uploadId'], object],
    ['POST', ['uploads'], object],
    ['PUT', [], { ...object, headers: { 'x-amz-copy-source': 'files/b' } }],
  ])('%s %j of %j is one of the protocol', (method, names, at) => {
    expect(check(method, names, at)).toBeUndefined();
  });
});
