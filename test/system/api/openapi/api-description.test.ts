import { pathToFileURL } from 'node:url'
import path from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../../../../scripts/lib/paths.mjs'
import { describeApi } from '../../../../src/api/openapi/api-description.ts'
import { createDocument } from '../../../../src/api/openapi/document.ts'
import { routeTable } from '../../../../src/api/routes/index.ts'
import { depsWithoutDatabase } from '../../../support/deps.ts'

const BUILT = pathToFileURL(path.join(ROOT, 'dist', 'openapi.json'))
const ADDRESS = 'https://api.example.com'

/** The description depends on no setting, so a build may make it: these settings differ from those of the build. */
const ROUTES = routeTable(
  depsWithoutDatabase({ WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8:80', WEBHOOK_RETRY_SCHEDULE: '1s' }),
)

describe('the description of the API', () => {
  // decision: The build describes the API
  it('is made by the build, and equals what the routes give', () => {
    const fromRoutes = JSON.parse(JSON.stringify(createDocument(ROUTES, ADDRESS))) as unknown
    expect(describeApi([], ADDRESS, BUILT)).to.deep.equal(fromRoutes)
  })

  it('is made of the routes where nothing was built', () => {
    const missing = pathToFileURL(path.join(ROOT, 'dist', 'no-such-file.json'))
    expect(describeApi(ROUTES, ADDRESS, missing)).to.deep.equal(createDocument(ROUTES, ADDRESS))
  })
})
