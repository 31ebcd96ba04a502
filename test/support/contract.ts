import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { ERROR_STATUS } from '../../src/domain/errors.ts'
import { describeConsole } from '../../src/console/description.ts'
import { depsWithoutDatabase } from './database.ts'

type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers }
type Responses = Record<string, { $ref?: string; content?: Record<string, object>; headers?: object }>
type Operation = { readonly responses: Responses }
type OpenapiDocument = {
  readonly paths: Record<string, Record<string, Operation>>
  readonly servers: readonly unknown[]
}

/** Checks answers against the description that the api at one address serves. */
class Contract {
  readonly #document: OpenapiDocument
  readonly #ajv: Ajv2020
  readonly #validators = new Map<string, ValidateFunction>()
  /** Headers that only some operations send. Release 0.1.0, which the upgrade tests run, describes no header. */
  readonly #ownHeaders: readonly string[]

  constructor(document: OpenapiDocument) {
    this.#document = document
    this.#ownHeaders = describesHeaders(document) ? ['ETag', 'Idempotent-Replayed'] : []
    this.#ajv = new Ajv2020({ strict: false, allErrors: true })
    formats.default(this.#ajv)
    this.#ajv.addSchema(closed(document) as OpenapiDocument, 'openapi')
  }

  /** @throws Error that names the parts of the answer that the description lacks */
  check(method: string, path: string, { status, body, headers }: Answer): void {
    const what = `${method} ${path} -> ${status}`
    const code = String((body as { error?: { code?: unknown } } | null)?.error?.code)
    const statuses: Readonly<Record<string, number>> = ERROR_STATUS
    if (status >= 400 && statuses[code] !== status)
      throw new Error(`${what}: ${code} is no code of this status`)
    const template = Object.keys(this.#document.paths).find((candidate) => matches(candidate, path))
    const operation =
      template === undefined ? undefined : this.#document.paths[template]?.[method.toLowerCase()]
    if (!operation || template === undefined) {
      this.#validate('#/components/responses/Error404', body, what)
      return
    }
    const response = operation.responses[status]
    if (!response) throw new Error(`${what}: the status is not described`)
    for (const name of this.#ownHeaders) {
      const isDescribed = name in (response.headers ?? {})
      if (headers.has(name) && !isDescribed) throw new Error(`${what}: ${name} is not described`)
    }
    const own = `#/paths/${escape(template)}/${method.toLowerCase()}/responses/${status}`
    this.#validate(response.$ref ?? own, body, what)
  }

  #validate(pointer: string, body: unknown, what: string): void {
    const $ref = `openapi${pointer}/content/application~1json/schema`
    const validate = this.#validators.get($ref) ?? this.#ajv.compile({ $ref })
    this.#validators.set($ref, validate)
    if (validate(body)) return
    throw new Error(`${what}: ${this.#ajv.errorsText(validate.errors)}\n${JSON.stringify(body)}`)
  }
}

const describesHeaders = ({ paths }: OpenapiDocument): boolean =>
  Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .some(({ responses }) => Object.values(responses).some(({ headers }) => headers !== undefined))

/**
 * The published schemas allow further fields, so that later releases can add some. This function closes every object
 * with named fields, so that an undescribed field fails.
 */
function closed(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(closed)
  if (typeof part !== 'object' || part === null) return part
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]))
  return 'properties' in copy ? { additionalProperties: false, ...copy } : copy
}

function matches(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')]
  return (
    wanted.length === given.length &&
    wanted.every((part, n) => part === given[n] || (part.startsWith('{') && given[n] !== ''))
  )
}

const escape = (path: string): string => path.replaceAll('~', '~0').replaceAll('/', '~1')

/**
 * Reading a description takes seconds on a busy machine. Idle connections of this process become due to close in that
 * time. The next request could use such a connection, so let both ends handle the close first.
 */
async function createContract(document: OpenapiDocument): Promise<Contract> {
  const contract = new Contract(document)
  await sleep(0)
  await setImmediate()
  return contract
}

/** Compiled descriptions by their text without the address, so that apis of the same release share them. */
const contracts = new Map<string, Promise<Contract>>()
const contractsByApi = new Map<string, Promise<Contract>>()

/** Reads the description once per api. */
async function readContract(origin: string): Promise<Contract> {
  const document = (await (await fetch(`${origin}/openapi.json`)).json()) as OpenapiDocument
  const text = JSON.stringify({ ...document, servers: [] })
  const contract = contracts.get(text) ?? createContract(document)
  contracts.set(text, contract)
  return contract
}

/** Checks an answer of the API against /openapi.json of the same api. @throws Error naming what differs */
export async function expectDescribed(url: string, method: string, answer: Answer): Promise<void> {
  const { origin, pathname } = new URL(url)
  if (!pathname.startsWith('/api-v1-') || method === 'HEAD' || method === 'OPTIONS') return
  const contract = contractsByApi.get(origin) ?? readContract(origin)
  contractsByApi.set(origin, contract)
  if (!answer.headers.has('x-request-id')) throw new Error(`${method} ${pathname}: no X-Request-Id`)
  ;(await contract).check(method, pathname, answer)
}

let consoleContract: Promise<Contract> | undefined

/**
 * Checks a successful answer of the console's session API against the schemas that the page types come from.
 *
 * @throws Error naming what differs
 */
export async function expectConsoleDescribed(path: string, method: string, answer: Answer): Promise<void> {
  const { pathname } = new URL(path, 'http://127.0.0.1')
  if (!pathname.startsWith('/console/api/') || answer.status >= 400 || method === 'OPTIONS') return
  consoleContract ??= createContract(describeConsole(depsWithoutDatabase()) as never)
  ;(await consoleContract).check(method, pathname, answer)
}
