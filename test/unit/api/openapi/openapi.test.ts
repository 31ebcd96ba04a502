import { createRequire } from 'node:module'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import { checkFields } from '../../../../src/domain/fields/check-fields.ts'
import { checkJsonShape } from '../../../../src/api/routing/json-shape.ts'
import { createDocument } from '../../../../src/api/openapi/document.ts'
import { operationOf } from '../../../../src/api/openapi/operation.ts'
import { SchemaWriter } from '../../../../src/api/openapi/json-schema.ts'
import type { AnyRoute } from '../../../../src/api/routing/route.ts'
import { routeTable } from '../../../../src/api/routes/index.ts'
import { nearlyRightBody } from '../../../support/bodies.ts'
import { depsWithoutDatabase } from '../../../support/deps.ts'
import { useTemporaryDirectory } from '../../../support/temporary-directory.ts'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { readOnce } from '../../../../src/api/openapi/read-once.ts'
import { isPlainEvent, publishBody } from '../../../../src/api/schemas/events.ts'

const require = createRequire(import.meta.url)
const { Ajv2020: Ajv } = require('ajv/dist/2020.js') as { Ajv2020: typeof Ajv2020 }

/** Refusals by rules that no schema can express. The descriptions of the fields state these rules in words. */
const SAID_IN_WORDS =
  /public address|The URL is not valid|port \d+ is not allowed|host name of the URL|is given twice|16 KiB in all|repeats the id|ISO 8601 date and time|valid email|valid domain name|unpaired surrogates/

// The tests read only the descriptions of the routes and make no query.
const ROUTES = routeTable(depsWithoutDatabase())
const DOCUMENT = createDocument(ROUTES, 'http://127.0.0.1')

/** Those of an event and of a batch: the body is one or the other. */
const EVENT_FIELDS = { id: 1, event: 1, subject: 1, revision: 1, data: 1, previous: 1, events: 1 }

type Media = { readonly schema: object; readonly examples?: Record<string, { value: object }> }

describe('the request bodies that /openapi.json describes', () => {
  const ajv = new Ajv({ strict: false, allErrors: true })
  ajv.addSchema(DOCUMENT, 'openapi')

  for (const route of ROUTES.filter(({ method }) => method === 'POST' || method === 'PATCH')) {
    const { body, method, path } = route
    const { schema, examples = {} } = mediaOf(route)
    const validate = ajv.compile(absolute(schema) as object)
    if (!body) {
      it(`are empty or {} for ${method} ${path}`, () => {
        expect([{}, { a: 1 }, null, []].filter((sent) => validate(sent))).to.deep.equal([{}])
      })
      continue
    }

    it(`have examples of ${method} ${path}, which are accepted`, () => {
      expect(Object.keys(examples)).to.not.have.length(0)
      for (const { value } of Object.values(examples)) {
        expect([verdictOf(route, value), validate(value)], JSON.stringify(value)).to.deep.equal(['', true])
      }
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

/** Depth, width, large numbers and __proto__ are refused in every body; the description says so at its top. */
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

/** References as seen from outside the document. */
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

const DATA = { name: 'Ada', nested: { list: [1, null, 'x'] } }

const EVENT = { event: 'contact.created', data: DATA }

/** Bodies of a publish, each with what the api says of it. */
const BODIES: readonly [what: string, body: object, isPlain: boolean, isValid: boolean][] = [
  ['an event', EVENT, true, true],
  ['an event whose data is empty', { data: {}, event: 'task.completed' }, true, true],
  ['an event with an id', { ...EVENT, id: 'evt_1' }, false, true],
  ['an event with an id of null', { ...EVENT, id: null }, false, false],
  ['an event with the id of a test event', { ...EVENT, id: 'evt_test_1' }, false, false],
  ['an unknown type', { ...EVENT, event: 'contact.exploded' }, false, false],
  ['the type of test events', { ...EVENT, event: 'test.webhook' }, false, false],
  ['the name of an object method', { ...EVENT, event: 'toString' }, false, false],
  ['a list of types', { ...EVENT, event: ['contact.created'] }, false, false],
  ['data that is a list', { ...EVENT, data: [DATA] }, false, false],
  ['data that is null', { ...EVENT, data: null }, false, false],
  ['data that is a text', { ...EVENT, data: 'Ada' }, false, false],
  ['no data', { event: 'contact.created' }, false, false],
  ['no type', { data: DATA }, false, false],
  ['an unknown field', { ...EVENT, extra: 1 }, false, false],
  ['a batch', { events: [EVENT] }, false, true],
  ['a batch of 101 events', { events: Array(101).fill(EVENT) }, false, false],
  ['a batch without events', { events: [] }, false, false],
  ['a batch that is no list', { events: 'all' }, false, false],
  ['a batch with null for an event', { events: [null] }, false, false],
  ['a batch that repeats an id', { events: Array(2).fill({ ...EVENT, id: 'evt_1' }) }, false, false],
  ['a batch beside an event', { ...EVENT, events: [EVENT] }, false, false],
]

describe('the short check of a published event', () => {
  for (const [what, body, isPlain, isValid] of BODIES) {
    it(`${isPlain ? 'passes' : 'leaves to the schema'} ${what}`, () => {
      expect(isPlainEvent(body)).to.equal(isPlain)
      const check = () => checkFields(publishBody, body)
      if (isValid) expect(check()).to.deep.equal(body)
      else expect(check).to.throw()
    })
  }
})
