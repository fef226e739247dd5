/** What is read of a lock file of npm. */
export interface Lock {
  packages: Record<
    string,
    {
      version?: string;
      optional?: boolean;
      dev?: boolean;
      os?: string[];
      cpu?: string[];
      libc?: string[];
      optionalDependencies?: Record<string, string>;
    }
  >;
}
/** Adds the optional packages that the lock names and does not list; answers what it added. */
export function completeLock(lock: Lock): string[];
