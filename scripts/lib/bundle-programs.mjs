// A step of the build: makes one file of each program and all it imports, and one of what they import on demand. A boot then
// reads a few files in place of a thousand.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'esbuild'
import { ROOT } from './paths.mjs'

const SOURCES = path.join(ROOT, 'src')
/** What the product consists of. */
const PROGRAMS = ['server', 'worker', 'cli', 'listen']

/** What a bundle cannot hold: parts in machine code, and the databases that knex knows and we do not install. */
const NOT_BUNDLED = [
  ...['@node-rs/argon2', 'better-sqlite3', 'mariadb', 'mysql', 'oracledb'],
  ...['pg', 'pg-native', 'pg-query-stream', 'sqlite3', 'tedious'],
]

/** The worker's SDK starts threads from files beside its own, and compares classes with those of its other packages. */
const SDK = ['@temporalio/*']

/** Packages written for CommonJS use these three names. */
const FOR_COMMON_JS = `import { createRequire as createRequireOfBundle } from 'node:module'
const require = createRequireOfBundle(import.meta.url)
const __filename = require('node:url').fileURLToPath(import.meta.url)
const __dirname = require('node:path').dirname(__filename)`

/**
 * Modules find files of the build by `import.meta.url`. In a bundle each module still gets the address that its own file would
 * have in dist/.
 *
 * @type {import('esbuild').Plugin}
 */
const besideEachModule = {
  name: 'beside-each-module',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const place = path.relative(SOURCES, file).replace(/\.ts$/, '.js')
      const text = await readFile(file, 'utf8')
      const own = `new URL('./${place}', import.meta.url).href`
      return { loader: 'ts', contents: text.replaceAll('import.meta.url', own) }
    })
  },
}

/** The part that programs import on demand, from a file of its own: OpenTelemetry is read only where traces are on. */
const ON_DEMAND = 'open-telemetry'

/** @type {import('esbuild').Plugin} */
const onDemand = {
  name: 'on-demand',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`/${ON_DEMAND}\\.ts$`) }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${ON_DEMAND}.js`, external: true } : undefined,
    )
  },
}

for (const program of [...PROGRAMS, `deps/${ON_DEMAND}`]) {
  await build({
    entryPoints: [path.join(SOURCES, `${program}.ts`)],
    outfile: path.join(ROOT, 'dist', `${path.basename(program)}.js`),
    bundle: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    banner: { js: FOR_COMMON_JS },
    external: program === 'worker' ? [...NOT_BUNDLED, ...SDK] : NOT_BUNDLED,
    plugins: [onDemand, besideEachModule],
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  })
}
