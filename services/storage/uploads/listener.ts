import { addByteListener, type ByteContext } from '../../../mixins/http/api/byte-listener.ts';
import { byteRoute } from '../../../mixins/http/api/byte-route.ts';
import { Refusal } from '../../../models/errors.ts';
import { anyText } from '../../../models/schemas/internal.ts';
import { required } from '../../../models/schemas/schema.ts';
import type { Upload } from '../../../models/upload.ts';
import type { StorageContext } from '../tools.ts';
import { receivePart } from './receive-part.ts';
import { readTicket } from './tickets.ts';
import { allUploads } from './tools.ts';

/** Who sends a part: the bearer of a ticket. */
interface Bearer {
  organizationId: string;
  upload: Upload;
}

/**
 * Adds the listener that parts of uploads are sent to. The ticket in the address is the authentication, so pages of any
 * origin may send parts.
 */
export function addUploadListener(app: StorageContext & ByteContext): void {
  addByteListener<Bearer>(app, {
    name: 'upload',
    host: app.configuration.PLY_HOST,
    port: app.configuration.PLY_UPLOAD_PORT,
    origins: { methods: ['PUT'] },
    badLength: 'invalid_content_length',
    authenticate: async ({ match }) => {
      if (match.kind === 'method') throw new Refusal('method_not_allowed', { allow: match.allow });
      if (match.kind !== 'route') throw new Refusal('not_found');
      const { uploadId } = readTicket(app.sealer, match.params['ticket'] ?? '', app.runtime.now());
      const upload = await allUploads(app).get(uploadId);
      if (upload === null) throw new Refusal('upload_not_found');
      return { organizationId: upload.organizationId, upload };
    },
    routes: [
      byteRoute({
        method: 'PUT',
        path: '/v1/{ticket}/{number}',
        params: { ticket: required(anyText), number: required(anyText) },
        query: {},
        handle: async ({ path, request, response }, { upload }) => ({
          status: 200,
          body: JSON.stringify(await receivePart(app, upload, path.number, request, response)),
        }),
      }),
    ],
  });
}
