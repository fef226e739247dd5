import { testApp, type TestApp } from '../../test/support/app.ts';
import { checkAddress } from './address.ts';

let test: TestApp;
beforeAll(async () => {
  test = await testApp();
});
afterAll(() => test.close());

const hosts: { readonly [name: string]: string[] } = {
  'hooks.example.com': ['203.0.114.9', '2a00::1'],
  'mixed.example.com': ['203.0.114.9', '10.0.0.1'],
  'inside.example.com': ['192.168.0.1'],
};
const check = (address: string): Promise<void> =>
  checkAddress(
    {
      app: test.app,
      resolve: (name) => {
        const found = hosts[name];
        return found === undefined
          ? Promise.reject(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }))
          : Promise.resolve(found);
      },
    },
    address,
  );

it.each(['https://hooks.example.com', 'HTTPS://hooks.example.com:443/a?b#c', 'https://203.0.114.9/x'])(
  '%s may be an endpoint',
  async (address) => {
    await expect(check(address)).resolves.toBeUndefined();
  },
);

it.each([
  'https://hooks.example.com:8443/',
  'https://me:pw@hooks.example.com/',
  'https://mixed.example.com/',
  'https://inside.example.com/',
  'https://unknown.example.com/',
  'https://127.0.0.1/',
  'https://2130706433/',
  'https://[::1]/',
  'https://169.254.169.254/',
  'https://hooks.example.com/ä',
  'https://hooks.example.com/a b',
  'https://hooks.example.com\\@inside.example.com/',
])('%s may not', async (address) => {
  await expect(check(address)).rejects.toMatchObject({ type: 'webhook_url_invalid', code: 400 });
});

it('http is no https address', async () => {
  await expect(check('http://hooks.example.com/')).rejects.toMatchObject({ data: { fields: ['body', 'url'] } });
});
