import type { ServiceBroker, ServiceSchema } from 'moleculer';
import type { AppContext } from '../../mixins/app-context.ts';
import { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import { doorService } from '../../mixins/storage/door-service.ts';
import type { Region } from '../../models/region.ts';
import { S3Server } from './serve.ts';

/** The actor that S3 clients talk to. */
export function s3Service(app: AppContext, broker: ServiceBroker, regions: readonly Region[]): ServiceSchema {
  const credentials = new DoorCredentials(app);
  return doorService(app, broker, regions, {
    name: 's3',
    port: app.configuration.PLY_S3_PORT,
    credentials,
    serve: (closed) => {
      const server = new S3Server({ app, actions: broker, regions, credentials }, closed);
      return (request, response) => server.serve(request, response);
    },
  });
}
