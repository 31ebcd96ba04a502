import Joi from 'joi'
import { checkFields } from '../fields/check-fields.ts'
import { text } from '../fields/rules.ts'
import { LONGEST_SUBJECT, type EventContext } from './event.ts'

/** The rule of each part that an event may tell besides its data, whoever publishes it: the api or the command line. */
export const eventContextFields = {
  subject: text(LONGEST_SUBJECT).description('Your id of what the event tells of.'),
  revision: Joi.number()
    .integer()
    .min(1)
    .description('Counts the changes of the subject, so that receivers drop what is older.'),
  previous: Joi.object().unknown(true).description('The former values of the fields that changed.'),
}

const schema = Joi.object<EventContext>(eventContextFields)

/** @throws ApiError VALIDATION_ERROR that names every field with a fault */
export const checkEventContext = (context: EventContext): EventContext => checkFields(schema, context)
