import type { DeliveryDetail } from '../common/api/wire.ts'
import { causeOf } from '../common/format/attempt-hints.ts'
import { texts } from './texts.ts'

/** Why the delivery has not arrived, and what to do, before all details. */
export function Diagnosis({ delivery }: { delivery: DeliveryDetail }) {
  const last = delivery.attempt_log.at(-1)
  const cause = causeOf(last ?? { response_code: delivery.response_code, error: delivery.error })
  if (delivery.status === 'success' || !cause) return null
  return (
    <section className="cause" aria-label={texts.whyItDidNotArrive}>
      <div>
        <span className="second-line">{texts.whyItDidNotArrive}</span>
        <strong className="foreign">{cause.cause}</strong>
        {cause.hint}
      </div>
    </section>
  )
}
