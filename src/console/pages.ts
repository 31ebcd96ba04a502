import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context, Middleware } from 'koa'
import { ApiError, methodNotAllowed } from '../domain/errors.ts'
import type { State } from '../api/auth/caller.ts'
import { answerWithBytes } from '../api/edge/unread-answers.ts'

const ROOT = '/console/'

/** The placeholder in index.html for the nonce of the answer. */
const NONCE = '__CSP_NONCE__'

/** Files of the folder assets. Their names contain the hash of their content. */
const ASSET = /^assets\/[\w-][\w.-]*$/
/** The other served files: an icon, a manifest. The compiled parts of the api in this folder are not served. */
const LOOSE_FILE = /^[\w-][\w.-]*\.(?:svg|png|ico|webmanifest|txt)$/

const YEAR_S = 31_536_000

/** The page loads nothing from other hosts. Mantine writes <style> elements, which need the nonce. */
const policyOf = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; ` +
  "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

const NOT_BUILT = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <title>Console</title>
  </head>
  <body>
    <h1>The console is not built</h1>
    <p>Run <code>npm run build</code>, then load this page again.</p>
  </body>
</html>
`

/**
 * Serves the built pages of the console. Every path without a file gets index.html, which shows the screen of the path.
 * But a missing file of the folder `assets` is NOT_FOUND.
 *
 * @param folder the folder with the build
 */
export function servePages(folder: string): Middleware<State> {
  const files = new Map<string, Promise<File>>()

  /** Reads a file at its first use. A failed read is not kept, because a later build may bring the file. */
  async function fileOf(name: string): Promise<File | undefined> {
    const file = files.get(name) ?? readCompressed(path.join(folder, name))
    files.set(name, file)
    try {
      return await file
    } catch (error) {
      files.delete(name)
      if (isMissing(error)) return undefined
      throw error
    }
  }

  return async (ctx) => {
    ctx.state.route = '/console/*'
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed('HEAD, GET')
    if (!ctx.path.startsWith(ROOT)) {
      ctx.redirect(ROOT)
      return
    }
    const name = ctx.path.slice(ROOT.length)
    const isAsset = name.startsWith('assets/')
    const file = ASSET.test(name) || LOOSE_FILE.test(name) ? await fileOf(name) : undefined
    if (file) answerFile(ctx, name, file)
    else if (isAsset) throw new ApiError('NOT_FOUND', 'Not found.')
    else await answerPage(ctx, folder)
  }
}

type File = { readonly plain: Buffer; readonly gzipped: Buffer }

const compress = promisify(gzip)

async function readCompressed(file: string): Promise<File> {
  const plain = await readFile(file)
  return { plain, gzipped: await compress(plain) }
}

function answerFile(ctx: Context, name: string, { plain, gzipped }: File): void {
  ctx.type = path.extname(name)
  ctx.set('Cache-Control', ASSET.test(name) ? `public, max-age=${YEAR_S}, immutable` : 'no-cache')
  ctx.vary('Accept-Encoding')
  const isCompressed = gzipped.length < plain.length && ctx.acceptsEncodings('gzip', 'identity') === 'gzip'
  if (isCompressed) ctx.set('Content-Encoding', 'gzip')
  answerWithBytes(ctx, isCompressed ? gzipped : plain)
}

/** Answers index.html, with a nonce for this answer. Reads the file each time, because a new build has other assets. */
async function answerPage(ctx: Context, folder: string): Promise<void> {
  const nonce = randomBytes(16).toString('base64')
  ctx.set('Content-Security-Policy', policyOf(nonce))
  ctx.type = 'text/html; charset=utf-8'
  try {
    const html = await readFile(path.join(folder, 'index.html'), 'utf8')
    ctx.body = html.replaceAll(NONCE, nonce)
  } catch (error) {
    if (!isMissing(error)) throw error
    ctx.status = 503
    ctx.body = NOT_BUILT
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException | null)?.code === 'ENOENT'
