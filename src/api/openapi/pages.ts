/** The page at /docs; it loads nothing from elsewhere. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sales Data API</title>
    <link rel="icon" href="/docs/favicon-32x32.png">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

/** The script that the page runs. */
export const START_SCRIPT = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true, validatorUrl: null })
`

const LINKS: Readonly<Record<string, string>> = {
  '/docs': 'the API, to read and to try',
  '/openapi.json': 'the API as OpenAPI 3.1, for programs',
  '/healthz': 'whether the process lives',
  '/readyz': 'whether it can serve',
}

/** The page at /, with links to the others. */
export const INDEX_PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Sales Data API</title>
  </head>
  <body>
    <h1>Sales Data API</h1>
    <ul>
${Object.entries(LINKS)
  .map(([path, what]) => `      <li><a href="${path}">${path}</a>: ${what}</li>`)
  .join('\n')}
    </ul>
  </body>
</html>
`
