import { createRequire } from 'node:module'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import { checkFields } from '../../../../src/domain/fields/rules.ts'
import { checkJsonShape } from '../../../../src/domain/fields/storable.ts'
import { createDocument } from '../../../../src/api/openapi/document.ts'
import { operationOf } from '../../../../src/api/openapi/operation.ts'
import { SchemaWriter } from '../../../../src/api/openapi/json-schema.ts'
import type { AnyRoute } from '../../../../src/api/routing/route.ts'
import { routeTable } from '../../../../src/api/routes/index.ts'
import { nearlyRightBody } from '../../../support/bodies.ts'
import { depsWithoutDatabase } from '../../../support/database.ts'
import { useTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { readOnce } from '../../../../src/api/openapi/serve.ts'
import { isPlainEvent, publishBody } from '../../../../src/api/schemas/events.ts'

const require = createRequire(import.meta.url)
const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }

/** Refusals by rules that no schema can express. The descriptions of the fields state these rules in words. */
const SAID_IN_WORDS =
  /public address|The URL is not valid|port \d+ is not allowed|host name of the URL|is given twice|16 KiB in all|repeats the id|ISO 8601 date and time|valid email|valid domain name|unpaired surrogates/

// The tests read only the descriptions of the routes and make no query.
const ROUTES = routeTable(depsWithoutDatabase())
const DOCUMENT = createDocument(ROUTES, 'http://127.0.0.1')

/** The fields of an event and of a batch, because the body is one or the other. */
const EVENT_FIELDS = { id: 1, event: 1, subject: 1, revision: 1, data: 1, previous: 1, events: 1 }

type Media = { readonly schema: object; readonly examples?: Record<string, { value: object }> }

describe('the request bodies that /openapi.json describes', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajv.addSchema(DOCUMENT, 'openapi')

  for (const route of ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH')) {
    const { body, method, path } = route
    if (!body) {
      it(`are none for ${method} ${path}`, () =>
        expect(operationOf(route, new SchemaWriter())).to.not.have.property('requestBody'))
      continue
    }
    const { schema, examples = {} } = mediaOf(route)
    const validate = ajv.compile(absolute(schema) as object)

    it(`have examples of ${method} ${path}, which are accepted`, () => {
      expect(Object.keys(examples)).to.not.have.length(0)
      for (const { value } of Object.values(examples))
        expect([verdictOf(route, value), validate(value)], JSON.stringify(value)).to.deep.equal(['', true])
    })

    // decision: What the description promises
    it(`are exactly those that ${method} ${path} accepts`, function () {
      this.timeout(60_000)
      const fields = Object.keys(body.describe()['keys'] ?? EVENT_FIELDS)
      const rights = Object.values(examples)
      for (const { value: right } of rights) {
        const arbitrary = nearlyRightBody(right, fields)
        const property = fc.property(arbitrary, (sent) => expectAgreement(route, validate, sent))
        fc.assert(property, { numRuns: Math.ceil(300 / rights.length) })
      }
    })
  }

  /** Why the service refuses the fields of the body, or '' when it accepts them. */
  function verdictOf({ body }: AnyRoute, sent: object): string {
    try {
      checkFields(body!, sent)
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }

  function expectAgreement(route: AnyRoute, validate: ValidateFunction, sent: object): void {
    if (!hasPlainShape(sent)) return
    const refusal = verdictOf(route, sent)
    const isDescribed = validate(sent)
    const what = `${JSON.stringify(sent)}: ${refusal || ajv.errorsText(validate.errors)}`
    if (isDescribed) expect(refusal === '' || isSaidInWords(refusal), what).to.equal(true)
    else expect(refusal, what).to.not.equal('')
  }
})

/** Every body refuses excessive depth and width, large numbers and __proto__. The description says so at its top. */
function hasPlainShape(sent: object): boolean {
  try {
    checkJsonShape(sent)
    return true
  } catch {
    return false
  }
}

const isSaidInWords = (message: string): boolean =>
  message.split(/(?<=\.) /).every((fault) => SAID_IN_WORDS.test(fault))

function mediaOf(route: AnyRoute): Media {
  const { requestBody } = operationOf(route, new SchemaWriter()) as {
    requestBody: { content: Record<string, Media> }
  }
  return requestBody.content['application/json']!
}

/** References in the form for other documents. */
function absolute(part: unknown): unknown {
  return JSON.parse(JSON.stringify(part).replaceAll('"#/', '"openapi#/')) as unknown
}

describe('a file that is read once', () => {
  const dir = useTemporaryDirectory()

  it('is tried again after a read that failed, also when two asked at once, and kept once it was read', async () => {
    const file = path.join(dir.path, 'late.css')
    const read = readOnce(file)
    for (const failed of await Promise.allSettled([read(), read()]))
      expect(failed).to.have.nested.property('reason.code', 'ENOENT')
    await writeFile(file, 'there')
    expect((await read()).toString()).to.equal('there')
    await writeFile(file, 'another')
    expect((await read()).toString(), 'it is kept').to.equal('there')
  })
})

const EVENT = { event: 'contact.created', data: { name: 'Ada', nested: { list: [1, null, 'x'] } } }
const BATCHES = [Array(101).fill(EVENT), [], 'all', [null], Array(2).fill({ ...EVENT, id: 'evt_1' })]

/** Bodies of a publish that the api refuses. */
const REFUSED: readonly object[] = [
  ...[null, 'evt_test_1'].map((id) => ({ ...EVENT, id })),
  ...['contact.exploded', 'test.webhook', 'toString', [EVENT.event]].map((event) => ({ ...EVENT, event })),
  ...[[EVENT.data], null, 'Ada'].map((data) => ({ ...EVENT, data })),
  ...[{ event: EVENT.event }, { data: EVENT.data }, { ...EVENT, extra: 1 }],
  ...[...BATCHES.map((events) => ({ events })), { ...EVENT, events: [EVENT] }],
]

describe('the short check of a published event', () => {
  it('passes a plain event, and leaves to the schema one with an id, a batch, and whatever that refuses', () => {
    const plain = [EVENT, { data: {}, event: 'task.completed' }]
    const taken = [...plain, { ...EVENT, id: 'evt_1' }, { events: [EVENT] }]
    expect([...taken, ...REFUSED].filter(isPlainEvent)).to.deep.equal(plain)
    for (const body of taken) expect(checkFields(publishBody, body)).to.deep.equal(body)
    for (const body of REFUSED)
      expect(() => checkFields(publishBody, body), JSON.stringify(body).slice(0, 100)).to.throw()
  })
})
