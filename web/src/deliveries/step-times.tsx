import type { Attempt } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { stepsOf } from './steps.ts'

/** The times of an attempt's steps, as a bar and as text. */
export function StepTimes({ attempt }: { attempt: Attempt }) {
  const steps = stepsOf(attempt)
  if (steps.length === 0) return null
  const whole = Math.max(1, attempt.duration_ms)
  return (
    <div>
      <div className="steps" aria-hidden="true">
        {steps.map(({ of, ms }) => (
          <span key={of} data-step={of} style={{ width: `${(ms / whole) * 100}%` }} />
        ))}
      </div>
      <div className="step-names figures">
        {steps.map(({ name, of, ms }) => (
          <span key={of} data-step={of}>{`${name} ${inMs(ms)}`}</span>
        ))}
      </div>
    </div>
  )
}
