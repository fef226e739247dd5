import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';

/** Answers what kind of account it is. */
export function getAccountInformation(): Promise<DoorReply> {
  return Promise.resolve({
    status: 200,
    headers: {
      'x-ms-sku-name': 'Standard_LRS',
      'x-ms-account-kind': 'StorageV2',
      'x-ms-is-hns-enabled': 'false',
    },
  });
}

/** Answers the settings of the service: nothing is logged or kept of what is deleted, and CORS is each bucket's own. */
export function getServiceProperties(): Promise<DoorReply> {
  const off = `${element('Enabled', false)}<RetentionPolicy>${element('Enabled', false)}</RetentionPolicy>`;
  const metrics = `${element('Version', '1.0')}${off}`;
  const logging = `${element('Version', '1.0')}${['Delete', 'Read', 'Write'].map((name) => element(name, false)).join('')}<RetentionPolicy>${element('Enabled', false)}</RetentionPolicy>`;
  return Promise.resolve(
    xmlReply(
      xmlDocument(
        `<StorageServiceProperties><Logging>${logging}</Logging><HourMetrics>${metrics}</HourMetrics><MinuteMetrics>${metrics}</MinuteMetrics><Cors /><DeleteRetentionPolicy>${element('Enabled', false)}</DeleteRetentionPolicy><StaticWebsite>${element('Enabled', false)}</StaticWebsite></StorageServiceProperties>`,
      ),
    ),
  );
}
