/** Whether the installed packages are those of package-lock.json. */
export function packagesAreCurrent(root: string): boolean;
/** Installs the packages where they are not current. */
export function installPackages(root: string): void;
