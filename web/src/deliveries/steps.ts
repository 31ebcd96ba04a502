import type { Attempt } from '../common/api/wire.ts'
import { texts } from './texts.ts'

type Step = { readonly name: string; readonly ms: number }

type Times = Pick<Attempt, 'dns_ms' | 'connect_ms' | 'tls_ms' | 'first_byte_ms' | 'duration_ms'>

/** The steps of an attempt that happened, in order; the rest of its time is the reading of the answer. */
export function stepsOf({ dns_ms, connect_ms, tls_ms, first_byte_ms, duration_ms }: Times): readonly Step[] {
  const measured = [
    { name: texts.dns, ms: dns_ms },
    { name: texts.connect, ms: connect_ms },
    { name: texts.tls, ms: tls_ms },
    { name: texts.firstByte, ms: first_byte_ms },
  ].filter((step): step is Step => step.ms !== null)
  const rest = duration_ms - measured.reduce((sum, { ms }) => sum + ms, 0)
  return measured.length > 0 && rest > 0 ? [...measured, { name: texts.rest, ms: rest }] : measured
}
