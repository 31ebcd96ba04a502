import { Counter, type Registry } from 'prom-client'
import { SIGN_IN_OUTCOMES } from '../domain/user/sign-in.ts'

/** The metrics of the console. Each label begins at 0, so that an alert on an increase sees the first one. */
export function createConsoleMetrics(registers: Registry[]) {
  const signIns = new Counter({
    name: 'console_sign_ins_total',
    help: 'Sign-ins to the console, by what came of them.',
    labelNames: ['outcome'] as const,
    registers,
  })
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0)
  return { signIns }
}
