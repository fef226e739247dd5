import { integer, variable } from './variables.ts';

/** The ports of listeners that objects are written through. */
export const doorVariables = {
  PLY_UPLOAD_PORT: variable(integer(0, 65535), 3002, 'Port that parts of uploads are sent to. 0 selects a free port.'),
  PLY_S3_PORT: variable(integer(0, 65535), 3003, 'Port of the door for S3 clients. 0 selects a free port.'),
  PLY_BLOB_PORT: variable(integer(0, 65535), 3004, 'Port of the door for Blob clients. 0 selects a free port.'),
};
