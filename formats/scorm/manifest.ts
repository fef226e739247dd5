/** Where a `<file>`, a `<resource>` or an item leads, as written, with the bases (`xml:base`) that hold there. */
export interface Reference {
  href: string;
  /** Of the manifests around it, of their resources and of the resource, outermost first; empty if there is none. */
  bases: readonly string[];
}

/** A `<resource>`: what can be shown, and the files that belong to it. */
export interface Resource {
  identifier: string;
  /** The page that is launched; null if there is none. */
  launch: Reference | null;
  files: readonly Reference[];
  /** Identifiers of the resources whose files it needs too. */
  dependencies: readonly string[];
}

/** An `<item>` of an organization: a module, a lesson, a page. */
export interface Item {
  title: string;
  /** Identifier of a resource, or of a manifest inside this one; null for an item that only holds others. */
  resource: string | null;
  /** What follows the resource's address when the item is launched. */
  parameters: string;
  items: readonly Item[];
}

/** An `<organization>`: one way through the course. */
export interface Organization {
  identifier: string;
  title: string;
  items: readonly Item[];
}

/** A manifest (IMS Content Packaging 1.1.2 and 1.1.4, as SCORM 1.2 and SCORM 2004 use it). */
export interface Manifest {
  identifier: string;
  /** The organization that is shown first, then the others in their order. */
  organizations: readonly Organization[];
  resources: readonly Resource[];
  manifests: readonly Manifest[];
}

/** What became of reading a manifest. */
export interface ManifestReading {
  /** What could be read of it; null if the file is no manifest of a course. */
  manifest: Manifest | null;
  /** Why reading stopped before its end; null if it did not. */
  brokenBy: string | null;
}
