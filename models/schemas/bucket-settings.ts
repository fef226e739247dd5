import { countryCodes } from '../countries.ts';
import { mediaRangeForm } from '../media-type.ts';
import { list, nullable, object, optional, required } from './schema.ts';
import { boolean, integer, oneOf, text } from './values.ts';

/*
 * The form of a bucket's settings. What JSON Schema cannot express (hosts that parse, values that exclude each other)
 * is checked where the settings are normalised (services/storage/settings).
 */

/** Largest object: 10,000 parts of 128 MiB. */
export const maxObjectBytes = 1_342_177_280_000;

const year = 31_536_000;
const host = text(1, 300);
const countries = optional(nullable(list(oneOf(...countryCodes), 250)));

/** Section `delivery`. */
export const deliveryChange = object({
  allowedDomains: optional(nullable(list(host, 50))),
  blockNoReferrer: optional(boolean),
  countriesAllow: countries,
  countriesBlock: countries,
  linkTtlSeconds: optional(nullable(integer(60, 604_800))),
  ipBinding: optional(boolean),
  rateLimitKbps: optional(nullable(integer(64, 10_000_000))),
});

/** Section `uploadRules`. */
export const uploadRulesChange = object({
  maxObjectBytes: optional(nullable(integer(1, maxObjectBytes))),
  allowedTypes: optional(nullable(list(text(3, 255, mediaRangeForm), 50))),
  allowOverwrite: optional(boolean),
});

const edgeTtl = integer(0, year);
const cacheControl = text(1, 200);
const extension = text(1, 17, {
  source: '^\\.?[A-Za-z0-9]{1,16}$',
  expected: 'an extension of 1 to 16 letters or digits',
});

const cacheRule = object({
  pathPrefix: optional(text(1, 1024)),
  extensions: optional(list(extension, 20, 1)),
  edgeTtlSeconds: optional(edgeTtl),
  browserCacheControl: optional(cacheControl),
});

/** Section `cache`. */
export const cacheChange = object({
  edgeTtlSeconds: optional(nullable(edgeTtl)),
  browserCacheControl: optional(nullable(cacheControl)),
  rules: optional(nullable(list(cacheRule, 20))),
});

const headerName = text(1, 200, {
  source: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  expected: 'the name of an HTTP header, or *',
});
const headers = optional(nullable(list(headerName, 20)));

/** Section `cors`. */
export const corsChange = object({
  allowedOrigins: optional(nullable(list(text(1, 300), 20))),
  allowedMethods: optional(nullable(list(oneOf('GET', 'HEAD'), 2, 1))),
  allowedHeaders: headers,
  exposeHeaders: headers,
  maxAgeSeconds: optional(nullable(integer(0, 86_400))),
  allowCredentials: optional(boolean),
});

const name32 = {
  source: '^[a-z][a-z0-9_]{0,31}$',
  expected: 'a lower-case letter, then at most 31 letters, digits or _',
};

/** A rule that gives requests a value to count them by. */
export const dimension = object({
  name: required(text(1, 32, name32)),
  type: required(oneOf('pathSegment', 'queryParam', 'tag', 'pattern')),
  index: optional(integer(1, 8)),
  param: optional(text(1, 64, { source: '^[A-Za-z0-9_.-]+$', expected: 'letters, digits, _ . and -' })),
  tag: optional(text(1, 32, name32)),
  pattern: optional(text(1, 200)),
});

/** Section `analytics`. */
export const analyticsChange = object({
  enabled: optional(boolean),
  dimensions: optional(list(dimension, 3)),
  ceiling: optional(nullable(integer(100, 10_000_000))),
});
