import manifest from '../../package.json' with { type: 'json' }

/** The version of this release, such as `0.1.0`. It is imported, so that a bundle contains it. */
export const VERSION: string = manifest.version
