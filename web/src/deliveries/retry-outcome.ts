import type { DeliveryDetail } from '../common/api/wire.ts'
import { texts } from './texts.ts'

type Retried = Pick<DeliveryDetail, 'attempts' | 'max_attempts' | 'status'>

/**
 * @param attemptsBefore the number of attempts when the retry was requested
 * @param message the api's answer, which says why the attempt waits
 * @returns the outcome so far in words. The cause of a failure stands below it on the page
 */
export function outcomeOfRetry(
  { attempts, max_attempts, status }: Retried,
  attemptsBefore: number,
  message: string,
): { readonly color: 'blue' | 'green' | 'red'; readonly title: string; readonly text: string } {
  const number = attemptsBefore + 1
  if (attempts <= attemptsBefore)
    return {
      color: 'blue',
      title: texts.attemptIsQueued({ number }),
      text: texts.shownHere({ attempt: message.replace(/\.$/, '') }),
    }
  if (status === 'success')
    return { color: 'green', title: texts.itArrived, text: texts.atAttempt({ attempts }) }
  const text =
    status === 'failed' ? texts.noOtherPlanned : texts.nextBySchedule({ maxAttempts: max_attempts })
  return { color: 'red', title: texts.attemptFailed({ number }), text }
}
