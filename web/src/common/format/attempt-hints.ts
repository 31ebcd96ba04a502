import { texts, type Cause } from './texts.ts'

/** What came of an attempt, as far as its cause goes. */
type Outcome = {
  readonly response_code: number | null
  readonly error: string | null
  readonly location?: string | null
}

/** @returns undefined for a success with nothing to remark, and before the first attempt */
export function causeOf({ response_code: status, error, location = null }: Outcome): Cause | undefined {
  if (status === null)
    return error === null ? undefined : (texts.noAnswer[error] ?? texts.unknownCause(error))
  const remark = error === null ? undefined : texts.bodyRemarks[error]
  if (status >= 200 && status <= 299)
    return remark === undefined ? undefined : { cause: texts.deliveredWithRemark, hint: remark }
  const known = texts.statuses[status] ?? texts.statusClasses[Math.floor(status / 100)]?.(status, location)
  const { cause, hint } = known ?? texts.unknownCause(String(status))
  return { cause, hint: remark === undefined ? hint : `${hint} ${remark}` }
}

/** What came back, in a word or two for a table: `503`, `timeout`; a dash before the first attempt. */
export const shortCause = ({ response_code: status, error }: Outcome): string =>
  status === null ? (error === null ? '–' : (texts.shortCauses[error] ?? error)) : String(status)

/** Reads the code of an outcome as `last_error` has it: `http_500`, or a code of an attempt without a status. */
function outcomeOf(code: string): Outcome {
  const status = /^http_(\d{3})$/.exec(code)?.[1]
  return status === undefined
    ? { response_code: null, error: code }
    : { response_code: Number(status), error: null }
}

/** As causeOf, of such a code. */
export const causeOfCode = (code: string): Cause | undefined => causeOf(outcomeOf(code))

/** As shortCause, of such a code. */
export const shortCauseOfCode = (code: string): string => shortCause(outcomeOf(code))
