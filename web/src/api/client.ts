import createClient from 'openapi-fetch';
import { failureOf } from './failure.ts';
import type { paths } from './schema.d.ts';
import { session } from './session.ts';

/** The API of this origin, typed by its own description. The session's cookie stands in place of a key. */
export const api = createClient<paths>({ baseUrl: '', credentials: 'same-origin' });

api.use({
  onRequest: ({ request }) => {
    const organizationId = session.current()?.organizationId;
    if (organizationId !== undefined && !request.headers.has('X-Organization-Id'))
      request.headers.set('X-Organization-Id', organizationId);
    return request;
  },
});

/**
 * What an operation answered: `await answered(api.GET(...))`.
 * @throws ApiFailure where it answered an error; a session that is over ends here as well
 */
export async function answered<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call;
  if (response.ok) {
    // An operation without a body has the type undefined or never.
    return data as T;
  }
  const failure = failureOf(response, error);
  // A wrong password or code of somebody who is signed in is a 401 as well, and ends nothing.
  if (failure.code === 'api_key_required' && session.current() !== null) session.end();
  throw failure;
}
