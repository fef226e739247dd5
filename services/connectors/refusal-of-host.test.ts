import { testHouse } from '../../test/support/house.ts';
import { refusalOfHost } from './read-address.ts';

it('a sync asks no host outside the ceiling of the deployment as it is when it asks', async () => {
  const { house, close } = await testHouse();
  try {
    const below = (ceiling: string[]) => refusalOfHost({ ...house, configuration: { ...house.configuration, PLY_ALLOWED_HOST_CEILING: ceiling } }, 'organization', 'https://s3.example.com/bucket?list-type=2');
    expect(await below([])).toBeNull();
    expect(await below(['*.example.com'])).toBeNull();
    expect(await below(['files.example.org'])).toBe("s3.example.com is outside the deployment's ceiling");
  } finally {
    await close();
  }
});
