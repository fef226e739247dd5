/** The project's own folder. */
export const projectRoot: string;
/** Everything that is downloaded and can be had again. */
export const cacheFolder: string;
/** Folders of the local embedding models that the set-up makes, by name. */
export const modelFolders: { readonly 'all-MiniLM-L6-v2': string; readonly 'multilingual-e5-small': string };
/** Folder of the local speech model that the set-up makes. */
export const speechModelFolder: string;
/** Folder of the model for English. */
export const modelFolder: string;
export const speechModelFormat: number;
