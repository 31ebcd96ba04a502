import type { Attempt } from '../common/api/wire.ts'
import { texts } from './texts.ts'

/** `of` names the step where it stands alone. It also chooses the colour. */
type Step = { readonly name: string; readonly of: keyof Times | 'rest'; readonly ms: number }

type Times = Pick<Attempt, 'dns_ms' | 'connect_ms' | 'tls_ms' | 'first_byte_ms' | 'duration_ms'>

/** The steps of an attempt that took place, in order. What is left of its duration is the time to read the answer. */
export function stepsOf({ dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms }: Times): readonly Step[] {
  const measured: readonly (Omit<Step, 'ms'> & { readonly ms: number | null })[] = [
    { name: texts.dns, of: 'dns_ms', ms: dns_ms },
    { name: texts.connect, of: 'connect_ms', ms: connect_ms },
    { name: texts.tls, of: 'tls_ms', ms: tls_ms },
    { name: texts.firstByte, of: 'first_byte_ms', ms: first_byte_ms },
  ]
  const made = measured.filter((step): step is Step => step.ms !== null)
  const rest = duration_ms - made.reduce((sum, { ms }) => sum + ms, 0)
  return made.length > 0 && rest > 0 ? [...made, { name: texts.rest, of: 'rest', ms: rest }] : made
}
