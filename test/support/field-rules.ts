import { expect } from 'chai'
import type Joi from 'joi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { SchemaWriter } from '../../src/api/openapi/json-schema.ts'

/** What a field takes and refuses. `inWords`: no JSON Schema can say that it refuses these, so only its description does. */
export type Samples = {
  readonly takes: readonly unknown[]
  readonly refuses: readonly unknown[]
  readonly inWords?: readonly unknown[]
}

/** Expects a rule, and the schema that /openapi.json shows of it, to take and refuse exactly so. */
export function expectSamples(rule: Joi.Schema, { takes, refuses, inWords = [] }: Samples): void {
  const isDescribed = new Ajv2020({ strict: false }).compile(new SchemaWriter().write(rule, 'request'))
  const verdictsOf = (value: unknown) => [
    rule.validate(value, { convert: false }).error === undefined,
    isDescribed(value),
  ]
  for (const [values, verdicts] of [
    [takes, [true, true]],
    [refuses, [false, false]],
    [inWords, [false, true]],
  ] as const)
    for (const value of values)
      expect(verdictsOf(value), JSON.stringify(value).slice(0, 100)).to.deep.equal(verdicts)
}
