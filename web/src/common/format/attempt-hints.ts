import { texts, type Cause } from './texts.ts'

/** The outcome of an attempt, as far as it tells the cause. */
type Outcome = {
  readonly response_code: number | null
  readonly error: string | null
  readonly location?: string | null
}

/** @returns undefined before the first attempt, and for a success that needs no explanation */
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

/** The outcome in a word or two, for a table: `503`, `timeout`. A dash before the first attempt. */
export const shortCause = ({ response_code: status, error }: Outcome): string =>
  status === null ? (error === null ? '–' : (texts.shortCauses[error] ?? error)) : String(status)

/** Reads an outcome from `last_error`: `http_500`, or the error code of an attempt without a status. */
function outcomeOf(code: string): Outcome {
  const status = /^http_(\d{3})$/.exec(code)?.[1]
  return status === undefined
    ? { response_code: null, error: code }
    : { response_code: Number(status), error: null }
}

/** Like causeOf, but for such a code. */
export const causeOfCode = (code: string): Cause | undefined => causeOf(outcomeOf(code))

/** Like shortCause, but for such a code. */
export const shortCauseOfCode = (code: string): string => shortCause(outcomeOf(code))
