import { testApp } from '../../test/support/app.ts';
import { refusalOfHost } from './read-address.ts';

it("a sync sends no request to a host outside the deployment's ceiling", async () => {
  const { app, close } = await testApp();
  try {
    const below = (ceiling: string[]) =>
      refusalOfHost(
        { ...app, configuration: { ...app.configuration, PLY_ALLOWED_HOST_CEILING: ceiling } },
        'organization',
        'https://s3.example.com/bucket?list-type=2',
      );
    expect(await below([])).toBeNull();
    expect(await below(['*.example.com'])).toBeNull();
    expect(await below(['files.example.org'])).toBe("s3.example.com is outside the deployment's ceiling");
  } finally {
    await close();
  }
});
