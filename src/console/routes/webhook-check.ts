import Joi from 'joi'
import { dataOf } from '../../api/schemas/common.ts'
import { changeWebhookBody } from '../../api/schemas/webhook-bodies.ts'
import { ApiError } from '../../domain/errors.ts'
import { checkFields } from '../../domain/fields/check-fields.ts'
import type { Deps } from '../../deps/deps.ts'
import { typedFaults } from '../answers.ts'
import { withData } from '../../api/routing/route.ts'
import { defineConsoleRoute, type ConsoleRoute } from '../route.ts'

const checkedBody = Joi.object<Readonly<Record<string, unknown>>>({ url: Joi.any(), headers: Joi.any() })

/** Checks fields of a webhook while somebody types them, by the rules of a change. Changes nothing. */
export function webhookCheckRoutes({ config }: Deps): ConsoleRoute[] {
  const rules = changeWebhookBody(config.webhookAllowedNetworks)
  const check = defineConsoleRoute('POST', '/webhook-check', {
    cost: 'write',
    action: 'webhooks.write',
    body: checkedBody,
    answers: { 200: { schema: dataOf(typedFaults) } },
    handle: ({ body }) => {
      const faults = Object.entries(body).flatMap(([field, value]) => {
        const fault = faultOf(rules, { [field]: value })
        return fault === undefined ? [] : [[field, fault] as const]
      })
      return withData({ faults: Object.fromEntries(faults) })
    },
  })
  return [check]
}

/** Why the fields would be refused, or undefined. */
function faultOf(rules: Joi.ObjectSchema, fields: object): string | undefined {
  try {
    checkFields(rules, fields)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.code === 'VALIDATION_ERROR') return error.message
    throw error
  }
}
