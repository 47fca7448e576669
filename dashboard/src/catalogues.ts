/** A catalogue: the texts of one language by the English ones. */
export type Catalogue = { [message: string]: string };

/** Loads the catalogue of a language, by its tag. English needs none: its texts are in the sources. */
export const catalogues: { [language: string]: () => Promise<Catalogue> } = {};
