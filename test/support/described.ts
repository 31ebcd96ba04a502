import type { Json } from './tenants.ts'

/** An operation of /openapi.json, with its method and the template of its path. */
export type Described = {
  readonly method: string
  readonly template: string
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly Json[]
  readonly requestBody?: Json
  readonly responses: Json
}

type Paths = { readonly paths: Record<string, Record<string, Described>> }

export const operationsOf = (document: object): Described[] =>
  Object.entries((document as Paths).paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      template,
      method: method.toUpperCase(),
    })),
  )

/** The example bodies that the description gives for an operation. */
export const examplesOf = ({ requestBody }: Pick<Described, 'requestBody'>): object[] => {
  const { examples = {} } = (requestBody?.content['application/json'] ?? {}) as { examples?: object }
  return Object.values(examples as Record<string, { value: object }>).map(({ value }) => value)
}
