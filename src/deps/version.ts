import { readFileSync } from 'node:fs'

const FILE = new URL('../../package.json', import.meta.url)

/** The version of this release, such as `0.1.0`. */
export const VERSION = (JSON.parse(readFileSync(FILE, 'utf8')) as { readonly version: string }).version
