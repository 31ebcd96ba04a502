import manifest from '../../package.json' with { type: 'json' }

/** The version of this release, such as `0.1.0`. An import, so that a bundle has it within. */
export const VERSION: string = manifest.version
