/** The project's own folder. */
export const projectRoot: string;
/** Everything that is downloaded and can be had again. */
export const cacheFolder: string;
/** Folder of the local embedding model that the set-up makes. */
export const modelFolder: string;
