/** A reference of a `<file>`, `<resource>` or item, as written, with its bases (`xml:base`). */
export interface Reference {
  href: string;
  /** Bases of the enclosing manifests, of their resources and of the resource, outermost first. */
  bases: readonly string[];
}

/** A `<resource>`: a page or asset, and its files. */
export interface Resource {
  identifier: string;
  /** The page that is launched; null if there is none. */
  launch: Reference | null;
  files: readonly Reference[];
  /** Identifiers of the resources that it depends on. */
  dependencies: readonly string[];
}

/** An `<item>` of an organization: a module, a lesson, a page. */
export interface Item {
  title: string;
  /** Identifier of a resource or nested manifest; null for an item that only groups others. */
  resource: string | null;
  /** Appended to the resource's address at launch. */
  parameters: string;
  items: readonly Item[];
}

/** An `<organization>`: one structure of the course. */
export interface Organization {
  identifier: string;
  title: string;
  items: readonly Item[];
}

/** A manifest (IMS Content Packaging 1.1.2 and 1.1.4, as SCORM 1.2 and SCORM 2004 use it). */
export interface Manifest {
  identifier: string;
  /** The default organization, then the others in order. */
  organizations: readonly Organization[];
  resources: readonly Resource[];
  manifests: readonly Manifest[];
}

/** Result of reading a manifest. */
export interface ManifestReading {
  /** The manifest, possibly incomplete; null if the file is not a course manifest. */
  manifest: Manifest | null;
  /** The error that ended reading early, or null. */
  brokenBy: string | null;
}
