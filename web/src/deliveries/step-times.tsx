import type { Attempt } from '../common/api/wire.ts'
import { inMs } from '../common/format/durations.ts'
import { stepsOf } from './steps.ts'

/** Where the time of an attempt went: a bar for the eye, and the same as text. */
export function StepTimes({ attempt }: { attempt: Attempt }) {
  const steps = stepsOf(attempt)
  if (steps.length === 0) return null
  const whole = Math.max(1, attempt.duration_ms)
  return (
    <div>
      <div className="steps" aria-hidden="true">
        {steps.map(({ name, ms }) => (
          <span key={name} style={{ width: `${(ms / whole) * 100}%` }} />
        ))}
      </div>
      <div className="step-names figures">
        {steps.map(({ name, ms }) => (
          <span key={name}>{`${name} ${inMs(ms)}`}</span>
        ))}
      </div>
    </div>
  )
}
