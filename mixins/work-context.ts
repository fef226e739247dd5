import { AsyncLocalStorage } from 'node:async_hooks';

/** What a piece of work is done for. Every line that is logged meanwhile tells it. */
export interface WorkContext {
  requestId?: string;
  organizationId?: string;
  assetId?: string;
  jobId?: string;
  stage?: string;
}

const storage = new AsyncLocalStorage<WorkContext>();

/** Does work for a request or a job: whatever it starts is done for the same. */
export function workingFor<T>(context: WorkContext, work: () => T): T {
  return storage.run(context, work);
}

/** What is worked for at the moment; nothing outside of requests and jobs. A new object each time, as the log wants it. */
export function workContext(): WorkContext {
  return { ...storage.getStore() };
}
