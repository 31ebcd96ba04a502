import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Middleware } from 'koa'
import { methodNotAllowed } from '../../domain/errors.ts'
import { answerWithBytes } from '../edge/unread-answers.ts'
import type { State } from '../auth/caller.ts'
import type { AnyRoute } from '../routing/route.ts'
import type { RouteParts } from '../routing/serve-route.ts'
import { EVENT_TYPES } from '../../domain/event/catalog.ts'
import { DECLARATIONS_PATH, eventFiles, schemaPath, type EventFiles } from './event-schemas.ts'
import { describeApi } from './document.ts'

type Page = { readonly type: string; readonly body: () => Promise<Buffer> }

/** The page loads nothing from other hosts. swagger-ui sets styles from its script and draws its icons as data. */
const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves /openapi.json, the page that shows it, the schemas of events, and links to them at /. All without a key. */
export function serveOpenapi(
  routes: readonly AnyRoute[],
  publicUrl: string,
  { limitByAddress }: Pick<RouteParts, 'limitByAddress'>,
  descriptionFile?: string,
): Middleware<State> {
  const document = Buffer.from(JSON.stringify(describeApi(routes, publicUrl, descriptionFile)))
  const pages = pagesOf(document, publicUrl)
  return async (ctx, next) => {
    const page = pages.get(ctx.path)
    if (!page) {
      await next()
      return
    }
    ctx.state.route = ctx.path
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') throw methodNotAllowed('HEAD, GET')
    ctx.type = page.type
    ctx.set('Cache-Control', 'no-cache')
    if (ctx.path.startsWith('/docs')) ctx.set('Content-Security-Policy', DOCS_POLICY)
    await limitByAddress('cheap', ctx, async () => answerWithBytes(ctx, await page.body()))
  }
}

function pagesOf(document: Buffer, publicUrl: string): ReadonlyMap<string, Page> {
  const html = text('text/html; charset=utf-8', () => DOCS_PAGE)
  // Made at the first request for a schema or the declarations, because it takes 50 ms.
  let files: EventFiles | undefined
  const made = () => (files ??= eventFiles(publicUrl))
  return new Map([
    ['/', text('text/html; charset=utf-8', () => INDEX_PAGE)],
    ['/openapi.json', { type: 'application/json; charset=utf-8', body: () => Promise.resolve(document) }],
    ['/docs', html],
    ['/docs/', html],
    ['/docs/start.js', text('text/javascript; charset=utf-8', () => START_SCRIPT)],
    ['/docs/swagger-ui.css', asset('swagger-ui.css', 'text/css; charset=utf-8')],
    ['/docs/swagger-ui-bundle.js', asset('swagger-ui-bundle.js', 'text/javascript; charset=utf-8')],
    ['/docs/favicon-32x32.png', asset('favicon-32x32.png', 'image/png')],
    [DECLARATIONS_PATH, text('text/plain; charset=utf-8', () => made().declarations)],
    ...EVENT_TYPES.map(schemaPath).map((path): [string, Page] => [
      path,
      text('application/schema+json', () => JSON.stringify(made().schemas.get(path))),
    ]),
  ])
}

/** A page of text. All answers share its bytes, so a client that does not read its answer costs no copy. */
function text(type: string, textOf: () => string): Page {
  let bytes: Buffer | undefined
  return { type, body: () => Promise.resolve((bytes ??= Buffer.from(textOf()))) }
}

/** A file of swagger-ui-dist. */
const asset = (name: string, type: string): Page => ({
  type,
  body: readOnce(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`))),
})

/** A page of our own. `head` and `body` are lines of HTML. */
const pageHtml = (head: string, body: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sales Data API</title>
${head}  </head>
  <body>
${body}  </body>
</html>
`

/** The page at /docs. It loads nothing from other hosts. */
const DOCS_PAGE = pageHtml(
  `    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
`,
  `    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
`,
)

/** The script that the page runs. */
const START_SCRIPT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })
`

const LINKS: Readonly<Record<string, string>> = {
  '/docs': 'the API, to read and to try',
  '/openapi.json': 'the API as OpenAPI 3.1, for programs',
  '/event-types/index.d.ts': 'the events that endpoints receive, as TypeScript',
  '/healthz': 'whether the process lives',
  '/readyz': 'whether it can serve',
}

/** The page at /, with links to the other pages. */
const INDEX_PAGE = pageHtml(
  '',
  `    <h1>Sales Data API</h1>
    <ul>
${Object.entries(LINKS)
  .map(([path, what]) => `      <li><a href="${path}">${path}</a>: ${what}</li>`)
  .join('\n')}
    </ul>
`,
)

/** Reads the file at its first use, and keeps it. If the read fails, the next use tries again. */
export function readOnce(path: string): () => Promise<Buffer> {
  let content: Promise<Buffer> | undefined
  return async () => {
    try {
      return await (content ??= readFile(path))
    } catch (error) {
      content = undefined
      throw error
    }
  }
}
