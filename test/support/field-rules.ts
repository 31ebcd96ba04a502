import { expect } from 'chai'
import type Joi from 'joi'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { SchemaWriter } from '../../src/api/openapi/json-schema.ts'

/** Values that a field accepts and refuses. `inWords`: those that only its description can refuse, not its schema. */
export type Samples = {
  readonly takes: readonly unknown[]
  readonly refuses: readonly unknown[]
  readonly inWords?: readonly unknown[]
}

/** Expects that a rule, and its schema in /openapi.json, accept and refuse exactly these values. */
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
