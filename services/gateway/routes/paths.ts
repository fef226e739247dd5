/** What the documents call `{api_root}`. */
export const apiRoot = '/api';

/** The prefix of the content API, with its major version. */
export const contentPath = `${apiRoot}/content/v1`;

/** The prefix of what is done in the dashboard alone. */
export const dashboardPath = `${apiRoot}/dashboard`;

/**
 * What is done in the dashboard alone: key management, people, invitations and the organization's profile. Every API
 * key is refused at these paths and below them, whatever the method.
 */
export const dashboardOnly = [
  dashboardPath,
  `${apiRoot}/api-keys`,
  `${apiRoot}/people`,
  `${apiRoot}/invitations`,
  `${apiRoot}/organization-profile`,
];
